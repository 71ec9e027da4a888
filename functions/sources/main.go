// Command sources is SourcesFunction: APIs that became tools.
package main

import "github.com/proagentstore/pags/functions/internal/boot"

func main() {
	boot.HTTP(boot.House(boot.Table, boot.Blobs, boot.Vault, boot.Outbound).SourcesHTTP())
}

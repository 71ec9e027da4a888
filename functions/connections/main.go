// Command connections is ConnectionsFunction: ways to be let in by APIs, sealed.
package main

import "github.com/proagentstore/pags/functions/internal/boot"

func main() {
	boot.HTTP(boot.House(boot.Table, boot.Blobs, boot.Vault, boot.Outbound).ConnectionsHTTP())
}

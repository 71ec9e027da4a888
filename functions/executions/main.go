// Command executions is ExecutionsFunction: programs, started, shown and continued.
package main

import "github.com/proagentstore/pags/functions/internal/boot"

func main() {
	boot.HTTP(boot.House(boot.Table, boot.Blobs, boot.Vault, boot.Brains, boot.Sockets).ExecutionsHTTP())
}

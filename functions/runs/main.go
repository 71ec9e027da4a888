// Command runs is RunsFunction: runs, their events, pictures and export.
package main

import "github.com/proagentstore/pags/functions/internal/boot"

func main() {
	boot.HTTP(boot.House(boot.Table, boot.Vault, boot.Blobs, boot.Brains, boot.Sockets).RunsHTTP())
}

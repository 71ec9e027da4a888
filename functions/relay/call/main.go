// Command call is RelayCallFunction: writes a call for a runner and rings for it.
package main

import "github.com/proagentstore/pags/functions/internal/boot"

func main() {
	boot.Event(boot.House(boot.Table, boot.Vault, boot.Blobs, boot.Brains, boot.Sockets).RelayCall)
}

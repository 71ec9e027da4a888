// Command relay is RelayFunction: one-use tickets for sockets.
package main

import "github.com/proagentstore/pags/functions/internal/boot"

func main() {
	boot.HTTP(boot.House(boot.Table, boot.Vault).Relay())
}

// Command message is WsMessageFunction: messages of runners and consoles.
package main

import "github.com/proagentstore/pags/functions/internal/boot"

func main() {
	boot.Event(boot.House(boot.Table, boot.Vault, boot.Blobs, boot.Brains, boot.Sockets).WsMessage)
}

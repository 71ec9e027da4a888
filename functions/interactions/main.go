// Command interactions is InteractionsFunction: the inbox and its answers.
package main

import "github.com/proagentstore/pags/functions/internal/boot"

func main() {
	boot.HTTP(boot.House(boot.Table, boot.Vault, boot.Brains, boot.Sockets).InteractionsHTTP())
}

// Command call is CodeCallFunction: judges and sends the calls of programs.
package main

import "github.com/proagentstore/pags/functions/internal/boot"

func main() {
	boot.Event(boot.House(boot.Table, boot.Blobs, boot.Vault, boot.Outbound).CodeCall)
}

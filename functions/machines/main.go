// Command machines is MachinesFunction: machines that serve instances.
package main

import "github.com/proagentstore/pags/functions/internal/boot"

func main() {
	boot.HTTP(boot.House(boot.Table, boot.Vault, boot.Sockets).MachinesHTTP())
}

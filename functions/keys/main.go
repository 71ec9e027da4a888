// Command keys is KeysFunction: model keys, sealed and tried.
package main

import "github.com/proagentstore/pags/functions/internal/boot"

func main() {
	boot.HTTP(boot.House(boot.Table, boot.Vault, boot.Models).KeysHTTP())
}

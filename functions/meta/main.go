// Command meta is MetaFunction: health, the API's description, public keys.
package main

import "github.com/proagentstore/pags/functions/internal/boot"

func main() {
	boot.HTTP(boot.House(boot.Table, boot.Vault).Meta())
}

// Command policies is PoliciesFunction: what calls may do.
package main

import "github.com/proagentstore/pags/functions/internal/boot"

func main() {
	boot.HTTP(boot.House(boot.Table, boot.Blobs, boot.Vault).PoliciesHTTP())
}

// Command instances is InstancesFunction: instances, and the runs started on them.
package main

import "github.com/proagentstore/pags/functions/internal/boot"

func main() {
	boot.HTTP(boot.House(boot.Table, boot.Vault, boot.Blobs, boot.Brains, boot.Sockets).InstancesHTTP())
}

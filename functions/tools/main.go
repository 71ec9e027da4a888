// Command tools is ToolsFunction: finds tools and calls one.
package main

import "github.com/proagentstore/pags/functions/internal/boot"

func main() {
	boot.HTTP(boot.House(boot.Table, boot.Blobs, boot.Vault, boot.Outbound, boot.Brains, boot.Sockets).ToolsHTTP())
}

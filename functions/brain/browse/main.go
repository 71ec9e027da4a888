// Command browse is BrowseFunction: one decision of a browser task, or its giving up.
package main

import "github.com/proagentstore/pags/functions/internal/boot"

func main() {
	boot.Event(boot.House(boot.Table, boot.Vault, boot.Blobs, boot.Brains, boot.Sockets, boot.Models).BrowseStep)
}

// Command run is CodeFunction: runs programs. It reaches their journals and the dispatcher, nothing else.
package main

import "github.com/proagentstore/pags/functions/internal/boot"

func main() {
	boot.Event(boot.House(boot.Table, boot.Blobs, boot.Sandbox, boot.Dispatch).Code)
}

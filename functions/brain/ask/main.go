// Command ask is AskFunction: opens a question for a waiting task token.
package main

import "github.com/proagentstore/pags/functions/internal/boot"

func main() {
	boot.Event(boot.House(boot.Table, boot.Blobs, boot.Brains, boot.Sockets).Ask)
}

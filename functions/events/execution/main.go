// Command execution is ExecutionFunction: settles the run of an execution that ended.
package main

import "github.com/proagentstore/pags/functions/internal/boot"

func main() {
	boot.Event(boot.House(boot.Table, boot.Brains, boot.Sockets).ExecutionChanged)
}

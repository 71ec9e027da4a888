// Command agents is AgentsFunction: lists and shows agents.
package main

import "github.com/proagentstore/pags/functions/internal/boot"

func main() {
	boot.HTTP(boot.House(boot.Table).AgentsHTTP())
}

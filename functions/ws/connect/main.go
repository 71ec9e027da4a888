// Command connect is WsConnectFunction: a socket opens with a ticket.
package main

import "github.com/proagentstore/pags/functions/internal/boot"

func main() {
	boot.Event(boot.House(boot.Table).WsConnect)
}

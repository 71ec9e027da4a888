// Command disconnect is WsDisconnectFunction: a socket is gone.
package main

import "github.com/proagentstore/pags/functions/internal/boot"

func main() {
	boot.Event(boot.House(boot.Table).WsDisconnect)
}

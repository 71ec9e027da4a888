// Command reconcile is ReconcileFunction: each minute, finishes what died half way.
package main

import "github.com/proagentstore/pags/functions/internal/boot"

func main() {
	boot.Event(boot.House(boot.Table, boot.Brains, boot.Sockets).Reconcile)
}

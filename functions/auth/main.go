// Command auth is AuthFunction: set-up, one-time links, refresh, sessions.
package main

import "github.com/proagentstore/pags/functions/internal/boot"

func main() {
	boot.HTTP(boot.House(boot.Table, boot.Vault).Auth())
}

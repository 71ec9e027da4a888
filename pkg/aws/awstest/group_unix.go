//go:build unix

package awstest

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps a terminal's interrupt for the tests from reaching moto half way; it ends with its pipe.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

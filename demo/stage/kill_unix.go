//go:build unix

package stage

import (
	"os/exec"
	"syscall"
)

// isolate gives the process a group of its own, so that killing it takes its browser with it and nobody else.
func isolate(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Kill ends the process and its children at once, as a power cut would.
func (p *Process) Kill() {
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.done
}

// Reap ends children that outlived a process which killed itself.
func (p *Process) Reap() { _ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) }

// Stop asks the process to end and waits.
func (p *Process) Stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	<-p.done
}

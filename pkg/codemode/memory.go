package codemode

import (
	"syscall"

	"github.com/tetratelabs/wazero/experimental"
)

// reserve gives each instance its whole address range at once; the system backs only pages that were touched. So growing
// copies nothing (a copy would need twice the cap for a moment), and closing gives the memory back at once.
func reserve(_, most uint64) experimental.LinearMemory {
	b, err := syscall.Mmap(-1, 0, int(most), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return &reserved{}
	}
	return &reserved{all: b}
}

type reserved struct{ all []byte }

func (r *reserved) Reallocate(size uint64) []byte {
	if size > uint64(len(r.all)) {
		return nil // the engine sees a failed grow
	}
	return r.all[:size:len(r.all)]
}

func (r *reserved) Free() {
	if r.all != nil {
		_ = syscall.Munmap(r.all)
		r.all = nil
	}
}

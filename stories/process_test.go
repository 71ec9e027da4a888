package stories

import (
	"fmt"
	"strings"
	"syscall"
)

// below finds a process's children and theirs in the output of ps: pid and parent a line.
func below(pid int, list string) []int {
	parents := map[int]int{}
	for line := range strings.Lines(list) {
		var child, parent int
		if n, _ := fmt.Sscan(line, &child, &parent); n == 2 {
			parents[child] = parent
		}
	}
	var found []int
	for child := range parents {
		for p := child; p > 1; p = parents[p] {
			if parents[p] == pid {
				found = append(found, child)
				break
			}
		}
	}
	return found
}

// alive reports whether a process is there.
func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

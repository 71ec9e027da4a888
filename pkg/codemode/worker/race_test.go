//go:build race

package worker

// The race detector keeps shadow memory beside the program's.
const memoryFactor = 2

//go:build !race

package worker

const memoryFactor = 1

// Package asl runs state machines written in the States Language, JSONPath mode, the way Step Functions Standard does:
// same data flow, same error names, same history event types, same limits. What it does not know it refuses when a
// definition is loaded, naming state and field (docs/states-language.md lists both).
//
//	definition.go state.go task.go retry.go   a definition, read and checked
//	path.go template.go intrinsic*.go         paths, payload templates, intrinsic functions
//	choice.go compare.go                      conditions
//	progress*.go                              one execution, advanced purely: no goroutine, no effect, no clock
//	journal.go memory.go                      where progress is made durable
//	engine.go execution.go start.go token.go  the driver: timers, functions, tokens, restart
//
// Durability: a task is called only after its schedule is in the journal; everything between two waits is one append.
// After a restart each unfinished execution goes on from its last append: a function whose outcome is not there is
// called again with the same payload and the same token, a task that was submitted keeps waiting on its token.
package asl

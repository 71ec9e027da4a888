// Package guard keeps hostile addresses out of our requests, secrets out of our logs, and instructions in foreign text
// apart from ours:
//
//	address.go  which addresses may be reached, checked by text
//	dial.go     the same when connecting, on every hop
//	redact.go   secrets by name and by shape
//	log.go      a log handler that redacts
//	fence.go    foreign text, marked and made visible
package guard

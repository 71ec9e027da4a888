package pags

import (
	"crypto/rand"
	"encoding/binary"
	"strings"
	"sync"
	"time"
)

// Ids are distinct string types: a prefix that says what it is, then 26 Crockford base32 characters of which the first
// ten are the creation time in milliseconds (the ULID layout), so ids sort by age and arguments cannot be swapped.
type (
	UserID        string // "usr_…"
	SessionID     string // "ses_…"
	AgentID       string // "agt_…", or a first-party slug such as "browser"
	InstanceID    string // "ins_…"
	RunID         string // "run_…"
	InteractionID string // "int_…"
	MachineID     string // "mac_…"
	SecretID      string // "sec_…", a handle that stands for sealed text
	PolicyID      string // "pol_…"
	TokenID       string // "tok_…", of an access token for programs
	FileID        string // "fil_…", a file that a tool answered with
)

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

var idState struct {
	sync.Mutex
	ms   uint64
	tail [10]byte
}

// newTail returns 26 sortable characters. Two calls in one millisecond still sort in call order.
func newTail(now time.Time) string {
	ms := uint64(now.UnixMilli())
	idState.Lock()
	if ms <= idState.ms {
		ms = idState.ms
		for i := len(idState.tail) - 1; i >= 0; i-- {
			idState.tail[i]++
			if idState.tail[i] != 0 {
				break
			}
		}
	} else {
		idState.ms = ms
		_, _ = rand.Read(idState.tail[:]) // crypto/rand.Read never fails since Go 1.24
		idState.tail[0] &= 0x7f           // room to count up within the millisecond
	}
	tail := idState.tail
	idState.Unlock()

	var raw [16]byte
	binary.BigEndian.PutUint64(raw[:8], ms<<16)
	copy(raw[6:], tail[:])
	hi, lo := binary.BigEndian.Uint64(raw[:8]), binary.BigEndian.Uint64(raw[8:])
	var out [26]byte
	for i := 25; i >= 0; i-- {
		out[i] = crockford[lo&31]
		lo = lo>>5 | hi<<59
		hi >>= 5
	}
	return string(out[:])
}

// New* mint an id for something created now.
func NewUserID(now time.Time) UserID               { return UserID("usr_" + newTail(now)) }
func NewSessionID(now time.Time) SessionID         { return SessionID("ses_" + newTail(now)) }
func NewInstanceID(now time.Time) InstanceID       { return InstanceID("ins_" + newTail(now)) }
func NewRunID(now time.Time) RunID                 { return RunID("run_" + newTail(now)) }
func NewInteractionID(now time.Time) InteractionID { return InteractionID("int_" + newTail(now)) }
func NewMachineID(now time.Time) MachineID         { return MachineID("mac_" + newTail(now)) }
func NewSecretID(now time.Time) SecretID           { return SecretID("sec_" + newTail(now)) }
func NewPolicyID(now time.Time) PolicyID           { return PolicyID("pol_" + newTail(now)) }
func NewTokenID(now time.Time) TokenID             { return TokenID("tok_" + newTail(now)) }
func NewFileID(now time.Time) FileID               { return FileID("fil_" + newTail(now)) }

// NewToken returns 32 random bytes in 52 base32 characters; for tickets and one-time links. Store only its hash.
func NewToken() string {
	var raw [32]byte
	_, _ = rand.Read(raw[:])
	var b strings.Builder
	var acc uint64
	bits := 0
	for _, c := range raw {
		acc = acc<<8 | uint64(c)
		bits += 8
		for bits >= 5 {
			bits -= 5
			b.WriteByte(crockford[acc>>bits&31])
		}
	}
	if bits > 0 {
		b.WriteByte(crockford[acc<<(5-bits)&31])
	}
	return b.String()
}

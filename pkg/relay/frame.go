package relay

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/proagentstore/pags/pkg/pags"
)

// MaxFrames is the most pieces of one message. JSON inside a JSON string at most doubles, so 96 KB never needs more than 9.
const MaxFrames = 16

// MaxID is the longest message id.
const MaxID = 64

// Frame is one piece of a message that is too large for one frame. A message that fits is sent as it is.
type Frame struct {
	M string `json:"m"` // id of the message
	I int    `json:"i"` // which piece, from 0
	N int    `json:"n"` // how many pieces
	D string `json:"d"` // piece of the message's JSON text, cut between characters
}

// New makes an envelope. Sending the same thing again takes a new id: receivers drop ids they have seen.
func New(id, kind string, body any) (Message, error) {
	m := Message{V: Version, ID: id, Kind: kind}
	if body == nil {
		return m, nil
	}
	raw, err := encode(body)
	if err != nil {
		return Message{}, pags.Errorf(pags.Internal, "encode a %s message: %w", kind, err)
	}
	m.Body = raw
	return m, nil
}

// Read decodes the body of a message; what does not fit the shape is pags.Invalid.
func (m Message) Read(into any) error {
	if err := json.Unmarshal(m.Body, into); err != nil {
		return pags.Wrap(err, pags.Invalid, "the body of the %q message is not of its shape", m.Kind)
	}
	return nil
}

// Split encodes a message as frames of at most MaxFrame bytes, to be sent in order. A message above MaxMessage is
// pags.TooLarge: large bodies travel by upload slot or by address.
func Split(m Message) ([][]byte, error) {
	if !goodID(m.ID) {
		return nil, pags.Errorf(pags.Invalid, "message id must be 1 to %d characters of A-Z a-z 0-9 _ -", MaxID)
	}
	whole, err := encode(m)
	if err != nil {
		return nil, pags.Errorf(pags.Invalid, "encode a %s message: %w", m.Kind, err)
	}
	if len(whole) > MaxMessage {
		return nil, pags.Errorf(pags.TooLarge, "a %s message of %d bytes is above the limit of %d", m.Kind, len(whole), MaxMessage)
	}
	if len(whole) <= MaxFrame {
		return [][]byte{whole}, nil
	}
	pieces := cut(whole, MaxFrame-len(`{"m":"","i":99,"n":99,"d":""}`)-len(m.ID))
	frames := make([][]byte, len(pieces))
	for i, d := range pieces {
		if frames[i], err = encode(Frame{M: m.ID, I: i, N: len(pieces), D: d}); err != nil {
			return nil, pags.Errorf(pags.Internal, "encode a frame: %w", err)
		}
	}
	return frames, nil
}

// Parse reads what came in one WebSocket message: a whole message, or one piece of a larger one (then frame is not nil).
// Anything else is pags.Invalid, anything too large pags.TooLarge.
func Parse(data []byte) (m Message, frame *Frame, err error) {
	if len(data) > MaxFrame {
		return m, nil, pags.Errorf(pags.TooLarge, "a frame of %d bytes is above the limit of %d", len(data), MaxFrame)
	}
	var both struct {
		Message
		Frame
	}
	if err := json.Unmarshal(data, &both); err != nil {
		return m, nil, pags.Wrap(err, pags.Invalid, "the frame is not a JSON object of this wire")
	}
	if both.N != 0 {
		f := both.Frame
		if !goodID(f.M) || f.N < 1 || f.N > MaxFrames || f.I < 0 || f.I >= f.N || f.D == "" {
			return m, nil, pags.Errorf(pags.Invalid, "the frame's m, i, n or d is out of range")
		}
		return m, &f, nil
	}
	return check(both.Message)
}

// Join puts the pieces of a message together; pieces[i] is the text of frame i.
func Join(id string, pieces []string) (Message, error) {
	size := 0
	for _, d := range pieces {
		size += len(d)
	}
	if size > MaxMessage {
		return Message{}, pags.Errorf(pags.TooLarge, "a message of %d bytes is above the limit of %d", size, MaxMessage)
	}
	whole := make([]byte, 0, size)
	for _, d := range pieces {
		whole = append(whole, d...)
	}
	var m Message
	if err := json.Unmarshal(whole, &m); err != nil {
		return Message{}, pags.Wrap(err, pags.Invalid, "the joined frames are not a message")
	}
	if m.ID != id {
		return Message{}, pags.Errorf(pags.Invalid, "the joined message has another id than its frames")
	}
	m, _, err := check(m)
	return m, err
}

func check(m Message) (Message, *Frame, error) {
	if !goodID(m.ID) || m.Kind == "" || len(m.Kind) > MaxID {
		return Message{}, nil, pags.Errorf(pags.Invalid, "the message needs an id and a kind")
	}
	return m, nil, nil
}

// cut splits JSON text so that each piece, written as a JSON string, takes at most room bytes.
func cut(text []byte, room int) []string {
	var pieces []string
	start, used := 0, 0
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		cost := size
		if r == '"' || r == '\\' {
			cost = 2
		} else if r == utf8.RuneError || r < 0x20 || r == '\u2028' || r == '\u2029' {
			cost = 6
		}
		if used+cost > room {
			pieces = append(pieces, string(text[start:at]))
			start, used = at, 0
		}
		used += cost
		at += size
	}
	return append(pieces, string(text[start:]))
}

// encode writes JSON without the escapes for HTML, which would only cost bytes here.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func goodID(id string) bool {
	if id == "" || len(id) > MaxID {
		return false
	}
	for i := 0; i < len(id); i++ {
		c := id[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

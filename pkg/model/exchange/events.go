package exchange

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLine bounds one line of a stream; a single delta is a few hundred bytes, a whole tool input some ten thousand.
const maxLine = 1 << 20

var errLine = errors.New("a line of the stream is too long")

// reader splits a body into server-sent events (WHATWG HTML, section 9.2): fields "event" and "data", several data lines
// joined by a newline, comments ignored, lines ended by LF or CRLF.
type reader struct{ lines *bufio.Reader }

func newReader(r io.Reader) *reader { return &reader{bufio.NewReaderSize(r, 16<<10)} }

// next returns the next event that has data. io.EOF means the stream ended between events or inside one: an unfinished
// event is dropped, as the standard says.
func (r *reader) next() (Event, error) {
	var event Event
	seen := false
	for {
		line, err := r.line()
		if err != nil {
			return Event{}, err
		}
		if len(line) == 0 {
			if seen {
				return event, nil
			}
			event = Event{}
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			event.Name = string(value)
		case "data":
			if seen {
				event.Data = append(event.Data, '\n')
			}
			if len(event.Data)+len(value) > maxLine {
				return Event{}, errLine
			}
			event.Data = append(event.Data, value...)
			seen = true
		}
	}
}

func (r *reader) line() ([]byte, error) {
	var whole []byte
	for {
		part, err := r.lines.ReadSlice('\n')
		if len(whole)+len(part) > maxLine {
			return nil, errLine
		}
		whole = append(whole, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return bytes.TrimRight(whole, "\r\n"), nil
	}
}

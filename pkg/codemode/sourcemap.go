package codemode

import (
	"encoding/json"
	"errors"
	"sort"
	"strings"
)

// lineMap leads from positions in generated JavaScript to positions in the author's text (Source Map revision 3, one source).
type lineMap struct {
	lines [][]segment // by generated line
}

type segment struct{ column, line, at int } // generated column -> line and column of the source, all from 0

// readMap decodes the mappings of a source map.
func readMap(raw []byte) (*lineMap, error) {
	var m struct {
		Mappings string `json:"mappings"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, err
	}
	out := &lineMap{}
	var line, at int
	for group := range strings.SplitSeq(m.Mappings, ";") {
		var segs []segment
		column := 0
		for field := range strings.SplitSeq(group, ",") {
			if field == "" {
				continue
			}
			n, err := vlq(field)
			if err != nil {
				return nil, err
			}
			column += n[0]
			if len(n) < 4 {
				continue
			}
			line += n[2]
			at += n[3]
			segs = append(segs, segment{column, line, at})
		}
		out.lines = append(out.lines, segs)
	}
	return out, nil
}

// find takes and gives lines and columns from 1.
func (m *lineMap) find(line, column int) (Frame, bool) {
	if line < 1 || line > len(m.lines) {
		return Frame{}, false
	}
	segs := m.lines[line-1]
	i := sort.Search(len(segs), func(i int) bool { return segs[i].column > column-1 })
	if i == 0 {
		return Frame{}, false
	}
	return Frame{Line: segs[i-1].line + 1, Column: segs[i-1].at + 1}, true
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// vlq decodes base64 variable-length quantities: five bits a digit, lowest first, the first bit of a number its sign.
func vlq(s string) ([]int, error) {
	var out []int
	n, shift := 0, 0
	for i := 0; i < len(s); i++ {
		d := strings.IndexByte(base64Digits, s[i])
		if d < 0 || shift > 30 {
			return nil, errors.New("not a source map")
		}
		n |= d & 31 << shift
		shift += 5
		if d&32 != 0 {
			continue
		}
		if n&1 != 0 {
			n = -(n >> 1)
		} else {
			n >>= 1
		}
		out = append(out, n)
		n, shift = 0, 0
	}
	if len(out) == 0 || shift != 0 {
		return nil, errors.New("not a source map")
	}
	return out, nil
}

package files

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Keys become paths that mean the same on every file system: bytes other than a-z 0-9 . _ - are written %XX, so upper and
// lower case stay apart where the file system does not tell them apart, and no part can be "..", a device name or a path.
// The last character says what an entry is: "=" a blob, "+" a part with more after a slash, "~" a part that goes on in
// the entry below (names are at most 255 bytes).
const (
	markBlob     = "="
	markFolder   = "+"
	markContinue = "~"
	maxName      = 180
)

func (b *Blobs) path(key string) string {
	parts := strings.Split(key, "/")
	last := len(parts) - 1
	path := b.root()
	for _, p := range parts[:last] {
		path = filepath.Join(path, entry(p, markFolder))
	}
	return filepath.Join(path, entry(parts[last], markBlob))
}

func (b *Blobs) folder(key string) string {
	path := b.root()
	for _, p := range strings.Split(key, "/") {
		path = filepath.Join(path, entry(p, markFolder))
	}
	return path
}

func entry(part, mark string) string {
	var path, name strings.Builder
	for i := 0; i < len(part); i++ {
		c, text := part[i], ""
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '.', c == '_', c == '-':
			text = string(rune(c))
		default:
			text = "%" + strings.ToUpper(hex.EncodeToString([]byte{c}))
		}
		if name.Len()+len(text) > maxName {
			path.WriteString(name.String() + markContinue + string(filepath.Separator))
			name.Reset()
		}
		name.WriteString(text)
	}
	return path.String() + name.String() + mark
}

// decode undoes entry's escapes; ok is false for a file that we did not make.
func decode(name string) (text string, ok bool) {
	var out []byte
	for i := 0; i < len(name); i++ {
		if name[i] != '%' {
			out = append(out, name[i])
			continue
		}
		if i+3 > len(name) {
			return "", false
		}
		raw, err := hex.DecodeString(name[i+1 : i+3])
		if err != nil {
			return "", false
		}
		out = append(out, raw[0])
		i += 2
	}
	return string(out), true
}

// walk calls visit for every key below a directory; before is what the directory stands for. An absent one has no keys.
func walk(dir, before string, visit func(key string)) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		text, ok := decode(name[:len(name)-1])
		if !ok {
			continue
		}
		switch name[len(name)-1:] {
		case markBlob:
			visit(before + text)
		case markFolder:
			err = walk(filepath.Join(dir, name), before+text+"/", visit)
		case markContinue:
			err = walk(filepath.Join(dir, name), before+text, visit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

package port

import (
	"strings"
	"unicode/utf8"

	"github.com/proagentstore/pags/pkg/pags"
)

// MaxPresignSeconds bounds the life of a presigned URL; the longest user is an upload slot.
const MaxPresignSeconds = 15 * 60

// CheckBlobKey holds a key to what Blobs promises, the same for every adapter: valid UTF-8 of 1 to 1,024 bytes (S3's
// limit), no empty, "." or ".." part, no control characters, no backslash.
func CheckBlobKey(key string) error {
	if key == "" || len(key) > 1024 || !utf8.ValidString(key) {
		return pags.Errorf(pags.Invalid, "a blob key must be 1 to 1,024 bytes of UTF-8")
	}
	for _, part := range strings.Split(key, "/") {
		if part == "" || part == "." || part == ".." {
			return pags.Errorf(pags.Invalid, "a blob key must have no empty, \".\" or \"..\" part")
		}
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r < 0x20 || r == 0x7f || r == '\\' }) {
		return pags.Errorf(pags.Invalid, "a blob key must have no control character and no backslash")
	}
	return nil
}

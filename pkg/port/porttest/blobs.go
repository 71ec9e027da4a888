package porttest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// BlobsPeer says what the store behind an adapter proves.
type BlobsPeer struct {
	// URLsEnforced: the store refuses a presigned URL that is expired, changed, or used with another size, checksum or
	// content type. moto refuses none of these; pkg/aws/s3 proves by the URL itself that all of it is under the signature.
	URLsEnforced bool
}

// Blobs holds an adapter to port.Blobs. open gives an empty store and the clock it was given.
func Blobs(t *testing.T, peer BlobsPeer, open func(t *testing.T) (port.Blobs, *Clock)) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, port.Blobs)
	}{
		{"what was put is read back, whole and described", blobsRoundTrip},
		{"ranges", blobsRanges},
		{"absent blobs are not found, and deleting one is fine", blobsAbsent},
		{"conditions decide what is written", blobsConditions},
		{"of many who create one key one wins", blobsRace},
		{"keys that are alike stay apart", blobsAlike},
		{"bad keys are refused", blobsBadKeys},
		{"listing is in byte order, in pages", blobsList},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, _ := open(t)
			c.run(t, b)
		})
	}
	t.Run("a presigned URL reads and writes", func(t *testing.T) { b, c := open(t); blobsPresigned(t, b, c) })
	t.Run("a presigned URL is refused for a bad request", func(t *testing.T) { b, _ := open(t); blobsPresignBad(t, b) })
	if peer.URLsEnforced {
		t.Run("a presigned URL permits nothing else", func(t *testing.T) { b, c := open(t); blobsEnforced(t, b, c) })
	}
}

func mustPut(t *testing.T, b port.Blobs, key, body string) port.BlobInfo {
	t.Helper()
	info, err := b.Put(context.Background(), key, []byte(body), port.PutOptions{ContentType: "text/plain"})
	if err != nil {
		t.Fatalf("put %q: %v", key, err)
	}
	return info
}

func wantCode(t *testing.T, what string, err error, code pags.Code) {
	t.Helper()
	if !pags.Is(err, code) {
		t.Errorf("%s: got %v, want code %s", what, err, code)
	}
}

func blobsRoundTrip(t *testing.T, b port.Blobs) {
	ctx := context.Background()
	for name, body := range map[string][]byte{"empty": {}, "bytes": {0, 1, 2, 255, '\n', '\r'}, "large": bytes.Repeat([]byte("0123456789abcdef"), 200_000)} {
		key := "round/" + name
		put, err := b.Put(ctx, key, body, port.PutOptions{ContentType: "image/png"})
		if err != nil {
			t.Fatal(err)
		}
		want := port.BlobInfo{Key: key, Size: int64(len(body)), ETag: put.ETag, ContentType: "image/png"}
		if put != want || put.ETag == "" {
			t.Errorf("%s: put says %+v", name, put)
		}
		got, info, err := b.Get(ctx, key, 0, 0)
		if err != nil || !bytes.Equal(got, body) || info != want {
			t.Errorf("%s: get gives %d bytes, %+v, %v", name, len(got), info, err)
		}
		if info, err := b.Head(ctx, key); err != nil || info != want {
			t.Errorf("%s: head says %+v, %v", name, info, err)
		}
		stream, info, err := b.Open(ctx, key)
		if err != nil {
			t.Fatal(err)
		}
		all, err := io.ReadAll(stream)
		if err != nil || !bytes.Equal(all, body) || info != want || stream.Close() != nil {
			t.Errorf("%s: open gives %d bytes, %+v, %v", name, len(all), info, err)
		}
	}
	first := mustPut(t, b, "round/again", "one")
	second := mustPut(t, b, "round/again", "two")
	if got, _, err := b.Get(ctx, "round/again", 0, 0); err != nil || string(got) != "two" || first.ETag == second.ETag {
		t.Errorf("after an overwrite: %q, %v, ETags %s and %s", got, err, first.ETag, second.ETag)
	}
}

func blobsRanges(t *testing.T, b port.Blobs) {
	mustPut(t, b, "r", "0123456789")
	mustPut(t, b, "none", "")
	for _, c := range []struct {
		key            string
		offset, length int64
		want           string
		code           pags.Code
	}{
		{"r", 0, 0, "0123456789", ""}, {"r", 0, 1, "0", ""}, {"r", 3, 4, "3456", ""}, {"r", 3, 0, "3456789", ""}, {"r", 8, 100, "89", ""},
		{"r", -3, 0, "789", ""}, {"r", -3, 2, "78", ""}, {"r", -30, 2, "01", ""}, {"r", 9, 1, "9", ""},
		{"r", 10, 1, "", pags.Invalid}, {"r", 10, 0, "", pags.Invalid}, {"r", 0, -1, "", pags.Invalid},
		{"none", 0, 0, "", ""}, {"none", 0, 5, "", pags.Invalid}, {"none", -5, 0, "", pags.Invalid},
	} {
		got, info, err := b.Get(context.Background(), c.key, c.offset, c.length)
		what := fmt.Sprintf("%d bytes of %q from %d", c.length, c.key, c.offset)
		if c.code != "" {
			wantCode(t, what, err, c.code)
			continue
		}
		size := int64(10)
		if c.key == "none" {
			size = 0
		}
		if err != nil || string(got) != c.want || info.Size != size {
			t.Errorf("%s: got %q of %d, %v, want %q", what, got, info.Size, err, c.want)
		}
	}
}

func blobsAbsent(t *testing.T, b port.Blobs) {
	ctx := context.Background()
	mustPut(t, b, "here/below", "x")
	for _, key := range []string{"nothing", "here", "here/below/more"} {
		_, _, err := b.Get(ctx, key, 0, 0)
		wantCode(t, "get "+key, err, pags.NotFound)
		_, err = b.Head(ctx, key)
		wantCode(t, "head "+key, err, pags.NotFound)
		_, _, err = b.Open(ctx, key)
		wantCode(t, "open "+key, err, pags.NotFound)
		if err := b.Delete(ctx, key); err != nil {
			t.Errorf("delete %s: %v", key, err)
		}
	}
	if err := b.Delete(ctx, "here/below"); err != nil {
		t.Error(err)
	}
	_, err := b.Head(ctx, "here/below")
	wantCode(t, "head of what was deleted", err, pags.NotFound)
}

func blobsConditions(t *testing.T, b port.Blobs) {
	ctx := context.Background()
	put := func(body string, o port.PutOptions) (port.BlobInfo, error) { return b.Put(ctx, "c", []byte(body), o) }
	_, err := put("x", port.PutOptions{IfMatch: "0123"})
	wantCode(t, "IfMatch on nothing", err, pags.Conflict)
	one, err := put("one", port.PutOptions{IfAbsent: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = put("two", port.PutOptions{IfAbsent: true})
	wantCode(t, "IfAbsent on something", err, pags.Conflict)
	two, err := put("two", port.PutOptions{IfMatch: one.ETag})
	if err != nil {
		t.Fatal(err)
	}
	_, err = put("three", port.PutOptions{IfMatch: one.ETag})
	wantCode(t, "IfMatch on what changed", err, pags.Conflict)
	if got, info, err := b.Get(ctx, "c", 0, 0); err != nil || string(got) != "two" || info.ETag != two.ETag {
		t.Errorf("in the end %q, %v", got, err)
	}
}

func blobsRace(t *testing.T, b port.Blobs) {
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() {
			_, errs[i] = b.Put(context.Background(), "race", []byte{byte('0' + i)}, port.PutOptions{IfAbsent: true})
		})
	}
	wg.Wait()
	winner, wins := -1, 0
	for i, err := range errs {
		if err == nil {
			winner = i
			wins++
		} else {
			wantCode(t, "a loser", err, pags.Conflict)
		}
	}
	got, _, err := b.Get(context.Background(), "race", 0, 0)
	if wins != 1 || err != nil || string(got) != string(byte('0'+winner)) {
		t.Errorf("%d winners (%d), stored %q, %v", wins, winner, got, err)
	}
}

// alike are keys that a careless mapping to file names confuses.
var alike = []string{"a", "a/b", "a/b/c", "a-b", "a.b", "A", "A/b", "a%2Fb", "a%b", "a+", "a=", "a~", "...", "a/...", "con", "nul.txt", "ä", "a\u0308",
	"日本/語", " ", "a b", "a?b", "a&b", "a#b", "a:b", "*", strings.Repeat("long", 100), strings.Repeat("long", 100) + "/x", strings.Repeat("L", 1000), strings.Repeat("é", 100)}

func blobsAlike(t *testing.T, b port.Blobs) {
	for i, key := range alike {
		mustPut(t, b, key, fmt.Sprint("body ", i))
	}
	for i, key := range alike {
		if got, info, err := b.Get(context.Background(), key, 0, 0); err != nil || string(got) != fmt.Sprint("body ", i) || info.Key != key {
			t.Errorf("%q: %q, %+v, %v", key, got, info, err)
		}
	}
	want := append([]string(nil), alike...)
	sort.Strings(want)
	if got := listed(t, b, "", "", 1000); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("listed %q\nwant   %q", got, want)
	}
}

func blobsBadKeys(t *testing.T, b port.Blobs) {
	for _, key := range []string{"", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/.", "a\\..\\b", "a\x00b", "a\nb", "\xff", strings.Repeat("k", 1025)} {
		_, err := b.Put(context.Background(), key, nil, port.PutOptions{})
		wantCode(t, fmt.Sprintf("put %q", key), err, pags.Invalid)
		_, _, err = b.Get(context.Background(), key, 0, 0)
		wantCode(t, fmt.Sprintf("get %q", key), err, pags.Invalid)
		wantCode(t, fmt.Sprintf("delete %q", key), b.Delete(context.Background(), key), pags.Invalid)
	}
}

func listed(t *testing.T, b port.Blobs, prefix, after string, limit int) []string {
	t.Helper()
	infos, err := b.List(context.Background(), prefix, after, limit)
	if err != nil {
		t.Fatal(err)
	}
	keys := []string{}
	for _, i := range infos {
		if i.ETag == "" {
			t.Errorf("%s is listed without its ETag", i.Key)
		}
		keys = append(keys, i.Key)
	}
	return keys
}

func blobsList(t *testing.T, b port.Blobs) {
	for _, key := range []string{"runs/r1/2/shot.jpg", "runs/r1/1/shot.jpg", "runs/r1/1/snapshot.txt", "runs/r10/1/shot.jpg", "runs/r1-x", "runs/r1", "other"} {
		mustPut(t, b, key, "12345")
	}
	for _, c := range []struct {
		prefix, after string
		limit         int
		want          string
	}{
		{"runs/r1/", "", 10, "[runs/r1/1/shot.jpg runs/r1/1/snapshot.txt runs/r1/2/shot.jpg]"},
		{"runs/r1/", "", 2, "[runs/r1/1/shot.jpg runs/r1/1/snapshot.txt]"},
		{"runs/r1/", "runs/r1/1/snapshot.txt", 2, "[runs/r1/2/shot.jpg]"},
		{"runs/r1/", "runs/r1/2/shot.jpg", 2, "[]"},
		{"runs/r1", "", 10, "[runs/r1 runs/r1-x runs/r1/1/shot.jpg runs/r1/1/snapshot.txt runs/r1/2/shot.jpg runs/r10/1/shot.jpg]"},
		{"runs/r1/1/s", "runs/r1/1/sh", 10, "[runs/r1/1/shot.jpg runs/r1/1/snapshot.txt]"},
		{"nothing/", "", 10, "[]"},
		{"", "runs/r1/2", 3, "[runs/r1/2/shot.jpg runs/r10/1/shot.jpg]"},
	} {
		if got := fmt.Sprint(listed(t, b, c.prefix, c.after, c.limit)); got != c.want {
			t.Errorf("list %q after %q, %d: got %s, want %s", c.prefix, c.after, c.limit, got, c.want)
		}
	}
	if infos, err := b.List(context.Background(), "other", "", 1); err != nil || len(infos) != 1 || infos[0].Size != 5 {
		t.Errorf("listed as %+v, %v", infos, err)
	}
}

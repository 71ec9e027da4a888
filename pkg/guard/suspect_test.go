package guard

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestRedact_NothingWithAShapeIsCleared(t *testing.T) {
	parts := append(append([]string{"Bearer ", "BASIC\t", "apiKey", "Api-Key: ", "x", "=", ":", " ", "\n", "-", "_", ".", "'", "//", "user:pass@host", "run_", "\u017fecret=",
		strings.Repeat("A", 40), strings.Repeat("7", 12), strings.Repeat("b", 20), "c.D-e_f", "PRIVATE KEY-----", "PaSSword"}, exact...), anyCase...)
	random := rand.New(rand.NewPCG(1, 2))
	shaped := 0
	for range 200_000 {
		var b strings.Builder
		for range 1 + random.IntN(6) {
			b.WriteString(parts[random.IntN(len(parts))])
		}
		if s := b.String(); shapes.MatchString(s) {
			shaped++
			if !suspect(s) {
				t.Fatalf("%q has the shape of a secret and is not looked at", s)
			}
		}
	}
	if shaped < 10_000 {
		t.Errorf("only %d texts had a shape", shaped)
	}
	for _, plain := range []string{"stub.main.items.getItem", "run_01M8MJPF107XY7MFRKTXBSX813", "4ae1f4d0b76d3e95690b02be6ded6a8609e37cfa847a73d34531935b0700dc82", "2026-11-29T21:17:09Z"} {
		if suspect(plain) {
			t.Errorf("%q is looked at for nothing", plain)
		}
	}
}

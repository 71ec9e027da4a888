package asl

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// maxRange is AWS's limit of elements that ArrayRange makes.
const maxRange = 1000

func list(v any) ([]any, error) {
	l, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("a list is expected, not %s", encode(v))
	}
	return l, nil
}

// rounded reads a number and rounds it to the nearest integer, as AWS does. Only 32 bits are taken.
func rounded(v any) (int64, error) {
	text, ok := v.(json.Number)
	n, err := text.Float64()
	if !ok || err != nil {
		return 0, fmt.Errorf("a number is expected, not %s", encode(v))
	}
	r := math.Floor(n + 0.5)
	if r < math.MinInt32 || r > math.MaxInt32 {
		return 0, fmt.Errorf("%s is outside -2147483648 to 2147483647", encode(v))
	}
	return int64(r), nil
}

func array(args []any, _ *scope) (any, error) { return args, nil }

func arrayPartition(args []any, _ *scope) (any, error) {
	l, err := list(args[0])
	if err != nil {
		return nil, err
	}
	size, err := rounded(args[1])
	if err != nil {
		return nil, err
	}
	if size < 1 {
		return nil, errors.New("the chunk size must be positive")
	}
	out := []any{}
	for chunk := range slices.Chunk(l, int(size)) {
		out = append(out, chunk)
	}
	return out, nil
}

func arrayContains(args []any, _ *scope) (any, error) {
	l, err := list(args[0])
	return slices.ContainsFunc(l, func(e any) bool { return equal(e, args[1]) }), err
}

// arrayRange counts from the first to the last number, both included.
func arrayRange(args []any, _ *scope) (any, error) {
	var n [3]int64
	for i := range n {
		var err error
		if n[i], err = rounded(args[i]); err != nil {
			return nil, err
		}
	}
	if n[2] == 0 {
		return nil, errors.New("the step must not be 0")
	}
	out := []any{}
	for i := n[0]; n[2] > 0 && i <= n[1] || n[2] < 0 && i >= n[1]; i += n[2] {
		if len(out) == maxRange {
			return nil, fmt.Errorf("the list would have more than %d elements", maxRange)
		}
		out = append(out, number(i))
	}
	return out, nil
}

func arrayGetItem(args []any, _ *scope) (any, error) {
	l, err := list(args[0])
	if err != nil {
		return nil, err
	}
	i, ok := whole(args[1])
	if !ok || i < 0 || i >= int64(len(l)) {
		return nil, fmt.Errorf("index %s is not in a list of %d", encode(args[1]), len(l))
	}
	return l[i], nil
}

func arrayLength(args []any, _ *scope) (any, error) {
	l, err := list(args[0])
	return number(int64(len(l))), err
}

func arrayUnique(args []any, _ *scope) (any, error) {
	l, err := list(args[0])
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool, len(l))
	out := []any{}
	for _, e := range l {
		key := string(encode(e))
		if !seen[key] {
			seen[key] = true
			out = append(out, e)
		}
	}
	return out, nil
}

func mathAdd(args []any, _ *scope) (any, error) {
	a, err := rounded(args[0])
	if err != nil {
		return nil, err
	}
	b, err := rounded(args[1])
	if err != nil {
		return nil, err
	}
	sum := a + b
	if sum < math.MinInt32 || sum > math.MaxInt32 {
		return nil, errors.New("the sum is outside -2147483648 to 2147483647")
	}
	return number(sum), nil
}

// mathRandom answers a number from start (included) to end (excluded). A seed makes it repeatable here; the number is not
// the one AWS draws for that seed.
func mathRandom(args []any, s *scope) (any, error) {
	from, err := rounded(args[0])
	if err != nil {
		return nil, err
	}
	to, err := rounded(args[1])
	if err != nil {
		return nil, err
	}
	if to <= from {
		return nil, errors.New("the end must be above the start")
	}
	draw := s.rand
	if len(args) == 3 {
		seed, err := rounded(args[2])
		if err != nil {
			return nil, err
		}
		draw = rand.New(rand.NewPCG(uint64(seed), 0)).Float64
	}
	return number(from + int64(draw()*float64(to-from))), nil
}

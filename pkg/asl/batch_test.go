package asl

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"
)

// fill gives every field of a struct a value of its own.
func fill(t *testing.T, v reflect.Value, n *int) {
	t.Helper()
	for i := range v.NumField() {
		*n++
		switch f := v.Field(i); f.Interface().(type) {
		case string, Phase:
			f.SetString(fmt.Sprintf("t%d \"é\n\x01", *n))
		case int64:
			f.SetInt(int64(*n))
		case bool:
			f.SetBool(true)
		case time.Time:
			f.Set(reflect.ValueOf(start0.Add(time.Duration(*n) * time.Millisecond)))
		case json.RawMessage:
			f.SetBytes(fmt.Appendf(nil, `{"n":%d}`, *n))
		case []int64:
			f.Set(reflect.ValueOf([]int64{int64(*n), 0, 7}))
		default:
			t.Fatalf("field %s has a type that AppendJSON does not know", v.Type().Field(i).Name)
		}
	}
}

func TestBatch_AppendJSONWritesEveryFieldAsEncodingJSONDoes(t *testing.T) {
	n := 0
	var full Batch
	full.Start = &Start{}
	full.Events = make([]Event, 2)
	fill(t, reflect.ValueOf(full.Start).Elem(), &n)
	for i := range full.Events {
		fill(t, reflect.ValueOf(&full.Events[i]).Elem(), &n)
	}
	fill(t, reflect.ValueOf(&full.Head).Elem(), &n)
	for name, b := range map[string]Batch{"full": full, "empty": {}, "head only": {Head: full.Head}} {
		t.Run(name, func(t *testing.T) {
			var got, want Batch
			plain, err := json.Marshal(b)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(plain, &want); err != nil {
				t.Fatal(err)
			}
			fast := b.AppendJSON(nil)
			if err := json.Unmarshal(fast, &got); err != nil {
				t.Fatalf("%v: %s", err, fast)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %s\nwant %s", fast, plain)
			}
		})
	}
}

package httpapi

import "reflect"

// Page is one part of a listing; NextCursor is empty exactly when nothing follows.
type Page[T any] struct {
	Items      []T    `json:"items"`
	NextCursor string `json:"nextCursor,omitempty" doc:"give it back as cursor for the next part"`
}

// Paging is embedded in the input of a listing.
type Paging struct {
	Cursor string `query:"cursor" maxLength:"2000" doc:"nextCursor of the part before"`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"items in one part"`
}

// Keyed is embedded in the input of a POST that creates something; see Idempotent.
type Keyed struct {
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"120" pattern:"^[A-Za-z0-9._:-]*$" doc:"a repeat with the same key within 24 h gets the first answer and creates nothing"`
}

// sliceFiller returns a function that turns nil slices of an output into empty ones, so that the answer says [] as the
// document does, never null. It looks at structs, embedded structs and slices of structs; pointers, maps and interfaces
// are left alone. Which fields to visit is worked out once per type.
func sliceFiller[O any]() func(*O) {
	fill := fillerOf(reflect.TypeFor[O](), map[reflect.Type]bool{})
	if fill == nil {
		return func(*O) {}
	}
	return func(out *O) { fill(reflect.ValueOf(out).Elem()) }
}

func fillerOf(t reflect.Type, seen map[reflect.Type]bool) func(reflect.Value) {
	switch t.Kind() {
	case reflect.Struct:
		if seen[t] {
			return nil
		}
		seen[t] = true
		defer delete(seen, t)
		type visit struct {
			field int
			fill  func(reflect.Value)
		}
		var visits []visit
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() {
				if fill := fillerOf(f.Type, seen); fill != nil {
					visits = append(visits, visit{i, fill})
				}
			}
		}
		if len(visits) == 0 {
			return nil
		}
		return func(v reflect.Value) {
			for _, x := range visits {
				x.fill(v.Field(x.field))
			}
		}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 { // bytes are text in JSON
			return nil
		}
		inner := fillerOf(t.Elem(), seen)
		return func(v reflect.Value) {
			if v.IsNil() {
				v.Set(reflect.MakeSlice(t, 0, 0))
				return
			}
			if inner != nil {
				for i := range v.Len() {
					inner(v.Index(i))
				}
			}
		}
	}
	return nil
}

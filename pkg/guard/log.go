package guard

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
)

// LogHandler redacts messages and attributes, by name and by shape, before next sees them.
func LogHandler(next slog.Handler) slog.Handler { return logHandler{next} }

type logHandler struct{ next slog.Handler }

func (h logHandler) Enabled(ctx context.Context, l slog.Level) bool { return h.next.Enabled(ctx, l) }
func (h logHandler) WithGroup(name string) slog.Handler             { return logHandler{h.next.WithGroup(name)} }

func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.next.WithAttrs(redactAttrs(attrs))}
}

func (h logHandler) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, Redact(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(redactAttr(a))
		return true
	})
	return h.next.Handle(ctx, clean)
}

func redactAttrs(attrs []slog.Attr) []slog.Attr {
	out := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		out[i] = redactAttr(a)
	}
	return out
}

func redactAttr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindGroup:
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(redactAttrs(v.Group())...)}
	case slog.KindString:
		if SecretName(a.Key) && v.String() != "" {
			return slog.String(a.Key, Mask)
		}
		return slog.String(a.Key, Redact(v.String()))
	case slog.KindAny:
		return slog.Attr{Key: a.Key, Value: redactAny(a.Key, v.Any())}
	}
	return slog.Attr{Key: a.Key, Value: v}
}

func redactAny(name string, v any) slog.Value {
	switch x := v.(type) {
	case nil:
		return slog.AnyValue(nil)
	case error:
		return slog.StringValue(Redact(x.Error()))
	case []byte:
		return slog.StringValue(fmt.Sprintf("[%d bytes]", len(x)))
	case fmt.Stringer:
		return slog.StringValue(Redact(x.String()))
	}
	if SecretName(name) {
		return slog.StringValue(Mask)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return slog.StringValue(Redact(fmt.Sprint(v)))
	}
	return slog.AnyValue(json.RawMessage(RedactJSON(raw)))
}

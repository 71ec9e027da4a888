package catalog

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"

	"github.com/proagentstore/pags/pkg/guard"
)

// What is kept of an answer.
const (
	maxAnswer    = 10 << 20
	maxStream    = 1_000_000 // of an answer that is a stream of events or lines (spec tool-runtime 4a)
	maxErrorText = 1024
	maxDetails   = 64 << 10
)

// ReadResponse turns an upstream answer into a result. It reads at most what is kept of such an answer and never fails: an
// answer that cannot be understood is text or bytes. The reader's time-out becomes upstream_response_body_timeout, except
// on a stream, of which what came so far is the result.
func ReadResponse(status int, header http.Header, body io.Reader) Result {
	if body == nil {
		body = bytes.NewReader(nil)
	}
	contentType, params, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		contentType, params = essence(header.Get("Content-Type")), nil
	}
	stream := contentType == "text/event-stream" || mediaKind(contentType) == bodyLines && contentType != ""
	limit := maxAnswer
	if stream {
		limit = maxStream
	}
	if strings.EqualFold(header.Get("Content-Encoding"), "gzip") {
		if z, err := gzip.NewReader(body); err == nil {
			body = z
		}
	}
	raw, readErr := io.ReadAll(io.LimitReader(body, int64(limit)+1))
	info := &HTTP{Status: status, Headers: keepHeaders(header)}
	if len(raw) > limit {
		raw, info.Truncated = raw[:limit], true
	}
	if readErr != nil {
		if !stream || len(raw) == 0 {
			return Result{HTTP: info, Error: readFailure(status, readErr)}
		}
		info.Truncated = true
	}
	data := decode(contentType, params["charset"], header, raw, info.Truncated)
	if status >= 200 && status < 300 {
		return Result{OK: true, Data: data, HTTP: info}
	}
	return Result{Error: failure(status, header, data), HTTP: info}
}

func readFailure(status int, err error) *Failure {
	var t interface{ Timeout() bool }
	if errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &t) && t.Timeout() {
		return &Failure{Code: CodeBodyTimeout, Status: status, Message: "the answer began and did not end in time; whether the call took effect is unknown"}
	}
	return &Failure{Code: CodeUpstreamHTTP, Status: status, Message: "the answer broke off while it was read; whether the call took effect is unknown"}
}

// keepHeaders keeps those that callers use: paging, limits, versions, places.
func keepHeaders(h http.Header) map[string]string {
	out := map[string]string{}
	for name, v := range h {
		l := strings.ToLower(name)
		switch {
		case len(v) == 0:
		case l == "content-type", l == "link", l == "location", l == "etag", l == "last-modified", l == "retry-after", l == "content-range", l == "content-disposition",
			l == "x-request-id", l == "x-total-count", l == "deprecation", l == "sunset", strings.HasPrefix(l, "ratelimit"), strings.HasPrefix(l, "x-ratelimit"), strings.HasPrefix(l, "x-page"), strings.HasPrefix(l, "x-next"):
			out[l] = clip(guard.Redact(strings.Join(v, ", ")), maxErrorText)
		}
	}
	return out
}

// decode turns bytes into data: nothing, JSON, lines of JSON, text or a file. A body that is white space is nothing.
func decode(contentType, charset string, header http.Header, raw []byte, cut bool) any {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil
	}
	attachment := strings.HasPrefix(strings.ToLower(header.Get("Content-Disposition")), "attachment")
	switch kind := mediaKind(contentType); {
	case contentType == "":
		if v, ok := parseJSON(toText(raw, charset)); ok && !cut {
			return v
		}
		if utf8.Valid(raw) && !bytes.ContainsRune(raw, 0) {
			return string(raw)
		}
		return toFile(http.DetectContentType(raw), header, raw)
	case kind == bodyJSON && !strings.HasSuffix(contentType, "yaml"):
		s := toText(raw, charset)
		if v, ok := parseJSON(s); ok && !cut {
			return v
		}
		return s
	case kind == bodyLines:
		return lines(toText(raw, charset), cut)
	case kind == bodyText && !attachment, kind == bodyForm, strings.HasSuffix(contentType, "yaml"):
		return toText(raw, charset)
	}
	return toFile(contentType, header, raw)
}

// parseJSON keeps numbers as they are written.
func parseJSON(s string) (any, bool) {
	dec := json.NewDecoder(strings.NewReader(s))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, false
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, false
	}
	return v, true
}

// lines reads one JSON value per line; what is not JSON stays text. Of a cut stream the last line is dropped.
func lines(s string, cut bool) any {
	all := strings.Split(strings.ReplaceAll(s, "\x1e", ""), "\n")
	if cut && len(all) > 1 {
		all = all[:len(all)-1]
	}
	out := []any{}
	for _, l := range all {
		if l = strings.TrimSpace(l); l == "" {
			continue
		}
		if v, ok := parseJSON(l); ok {
			out = append(out, v)
		} else {
			out = append(out, l)
		}
	}
	return out
}

// toText decodes a text: by its byte order mark, else its charset, else UTF-8, else as browsers read what names nothing.
func toText(raw []byte, charset string) string {
	switch {
	case bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")):
		raw, charset = raw[3:], "utf-8"
	case bytes.HasPrefix(raw, []byte("\xff\xfe")):
		charset = "utf-16le"
		raw = raw[2:]
	case bytes.HasPrefix(raw, []byte("\xfe\xff")):
		charset = "utf-16be"
		raw = raw[2:]
	case charset == "" && !utf8.Valid(raw):
		charset = "windows-1252"
	}
	if charset != "" && !strings.EqualFold(charset, "utf-8") && !strings.EqualFold(charset, "utf8") {
		if enc, err := htmlindex.Get(charset); err == nil {
			if out, err := enc.NewDecoder().Bytes(raw); err == nil {
				return string(out)
			}
		}
	}
	return strings.ToValidUTF8(string(raw), "\ufffd")
}

func toFile(contentType string, header http.Header, raw []byte) File {
	f := File{ContentType: contentType, Data: raw, Size: len(raw)}
	if f.ContentType == "" || f.ContentType == "application/octet-stream" {
		f.ContentType = http.DetectContentType(raw)
	}
	if _, p, err := mime.ParseMediaType(header.Get("Content-Disposition")); err == nil && p["filename"] != "" {
		name := strings.ReplaceAll(p["filename"], `\`, "/")
		f.Filename = clip(name[strings.LastIndexByte(name, '/')+1:], 200)
	}
	return f
}

// failure turns an answer that is no success into an error that says what the API said.
func failure(status int, header http.Header, data any) *Failure {
	f := &Failure{Code: CodeUpstreamHTTP, Status: status, Message: errorText(data)}
	if f.Message == "" {
		f.Message = strings.TrimSpace("the API answered " + strconv.Itoa(status) + " " + http.StatusText(status))
	}
	f.Message = guard.Redact(clip(f.Message, maxErrorText))
	if raw := jsonText(data); data != nil && len(raw) <= maxDetails {
		if v, ok := parseJSON(string(guard.RedactJSON(raw))); ok {
			f.Details = v
		}
	}
	challenge := strings.ToLower(header.Get("WWW-Authenticate"))
	switch {
	case (status == 403 || status == 401) && strings.Contains(challenge, "insufficient_scope"):
		f.Code = CodeScope
	case status == 401:
		f.Code = CodeRejected
	case status >= 300 && status < 400:
		f.Message = "the API sends the call elsewhere (" + strconv.Itoa(status) + "), which was not followed"
	}
	switch status {
	case 408, 425, 429, 502, 503, 504:
		f.Retryable = true
		if n, err := strconv.Atoi(strings.TrimSpace(header.Get("Retry-After"))); err == nil && n >= 0 {
			f.RetryAfter = n
		}
	}
	return f
}

// errorText finds the sentence in an error body: error.message, message, errorMessage, the first of errors, detail, title,
// description; else the JSON itself, shortened.
func errorText(data any) string {
	switch v := data.(type) {
	case string:
		if s := strings.TrimSpace(v); !strings.HasPrefix(s, "<") {
			return s
		}
		return "" // a web page says nothing that a caller could use
	case map[string]any:
		for _, inner := range []any{v["error"], v} {
			m, ok := inner.(map[string]any)
			if !ok {
				continue
			}
			for _, key := range []string{"message", "errorMessage", "error_description", "errors", "detail", "title", "description", "msg", "reason", "error"} {
				if s := sentence(m[key]); s != "" {
					return s
				}
			}
		}
		if s := sentence(v["error"]); s != "" {
			return s
		}
	case []any:
		if s := sentence(data); s != "" {
			return s
		}
	case nil, File:
		return ""
	}
	return string(jsonText(data))
}

// sentence is a text, or the texts of a list of errors.
func sentence(v any) string {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v)
	case []any:
		var out []string
		for _, e := range v {
			switch e := e.(type) {
			case string:
				out = append(out, e)
			case map[string]any:
				for _, key := range []string{"detail", "message", "title", "description"} {
					if s, ok := e[key].(string); ok && s != "" {
						out = append(out, s)
						break
					}
				}
			}
			if len(out) == 5 {
				break
			}
		}
		return strings.Join(out, "; ")
	}
	return ""
}

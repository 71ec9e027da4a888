package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/proagentstore/pags/pkg/pags"
)

// statuses is the only table from error codes to HTTP statuses. The title is the short text for the kind of problem.
var statuses = map[pags.Code]struct {
	status int
	title  string
}{
	pags.Invalid:         {http.StatusBadRequest, "The input is wrong"},
	pags.Unauthenticated: {http.StatusUnauthorized, "Sign in first"},
	pags.Forbidden:       {http.StatusForbidden, "Not allowed"},
	pags.NotFound:        {http.StatusNotFound, "Not found"},
	pags.Conflict:        {http.StatusConflict, "Not possible now"},
	pags.Gone:            {http.StatusGone, "It is over"},
	pags.TooLarge:        {http.StatusRequestEntityTooLarge, "Too large"},
	pags.Unprocessable:   {http.StatusUnprocessableEntity, "A field breaks a rule"},
	pags.RateLimited:     {http.StatusTooManyRequests, "Too many requests"},
	pags.Internal:        {http.StatusInternalServerError, "Our fault"},
	pags.Upstream:        {http.StatusBadGateway, "Another service failed"},
	pags.Unavailable:     {http.StatusServiceUnavailable, "Try again later"},
	pags.Timeout:         {http.StatusGatewayTimeout, "It took too long"},
}

// codesOf gives a code to a status that the router or huma chose.
var codesOf = map[int]pags.Code{
	http.StatusMethodNotAllowed:     pags.Invalid,
	http.StatusNotAcceptable:        pags.Invalid,
	http.StatusUnsupportedMediaType: pags.Invalid,
	http.StatusRequestTimeout:       pags.Timeout,
}

func init() {
	for code, s := range statuses {
		codesOf[s.status] = code
	}
	// huma keeps these as package variables; they hold for every API of the process.
	huma.NewErrorWithContext = func(ctx huma.Context, status int, msg string, errs ...error) huma.StatusError {
		return fromHuma(ctx.Context(), status, msg, errs)
	}
	huma.NewError = func(status int, msg string, errs ...error) huma.StatusError {
		return fromHuma(context.Background(), status, msg, errs)
	}
	huma.DefaultArrayNullable = false // sliceFiller keeps that promise
	huma.ValidateStrictCasing = true
}

// internalText is all that a client learns of an internal error.
const internalText = "something went wrong on our side; if it happens again, report it with the traceId"

// Problem is the body of every error answer: RFC 9457 plus code, traceId and error (the same text as detail).
type Problem struct {
	Type    string       `json:"type" doc:"urn:pags:error: and the code"`
	Title   string       `json:"title" doc:"short text for this kind of problem"`
	Status  int          `json:"status"`
	Detail  string       `json:"detail" doc:"what was wrong and what to do"`
	Code    pags.Code    `json:"code" doc:"the same on every surface"`
	Text    string       `json:"error" doc:"the same text as detail"`
	TraceID string       `json:"traceId" doc:"finds the request in our logs"`
	Errors  []FieldError `json:"errors,omitempty" doc:"one entry for each wrong part of the input"`
	About   any          `json:"about,omitempty" doc:"the record the problem is about, where there is one"`

	headers http.Header
}

// FieldError points at a wrong part of the input.
type FieldError struct {
	Location string `json:"location" doc:"such as body.name or query.limit"`
	Message  string `json:"message"`
}

func (p *Problem) Error() string           { return p.Detail }
func (p *Problem) GetStatus() int          { return p.Status }
func (p *Problem) GetHeaders() http.Header { return p.headers }

// ContentType makes huma answer application/problem+json.
func (p *Problem) ContentType(string) string { return "application/problem+json" }

func newProblem(ctx context.Context, code pags.Code, detail string) *Problem {
	s, known := statuses[code]
	if !known {
		code, s = pags.Internal, statuses[pags.Internal]
	}
	c := callFrom(ctx)
	c.code = string(code)
	return &Problem{Type: "urn:pags:error:" + string(code), Title: s.title, Status: s.status, Detail: detail, Text: detail,
		Code: code, TraceID: c.trace, headers: http.Header{}}
}

// problem turns an area's error into the answer, and writes to the log what the client must not see.
func (a *API) problem(ctx context.Context, err error) *Problem {
	var made *Problem
	if errors.As(err, &made) {
		return made
	}
	code, text, about := pags.Internal, internalText, any(nil)
	var known *pags.Error
	switch {
	case errors.As(err, &known) && known.Code != pags.Internal:
		code, text, about = known.Code, known.Message, known.Detail
	case errors.Is(err, context.DeadlineExceeded):
		code, text = pags.Timeout, "the request took too long and was stopped; try again"
	case errors.Is(err, context.Canceled):
		code, text = pags.Unavailable, "the request was cancelled"
	}
	p := newProblem(ctx, code, text)
	p.About = about
	if p.Status >= http.StatusInternalServerError {
		level := slog.LevelWarn
		if code == pags.Internal {
			level = slog.LevelError
		}
		c := callFrom(ctx)
		a.cfg.Log.Log(ctx, level, "request failed", "traceId", c.trace, "operation", c.route, "code", string(code), "cause", err.Error())
	}
	return p
}

// fromHuma makes the answer to what huma refused. Values are never echoed: a body may hold a key.
func fromHuma(ctx context.Context, status int, msg string, errs []error) *Problem {
	code, known := codesOf[status]
	if !known && status >= 500 || status == http.StatusInternalServerError {
		return newProblem(ctx, pags.Internal, internalText)
	}
	if !known {
		code = pags.Invalid
	}
	var limit int64
	if n, err := fmt.Sscanf(msg, "request body is too large limit=%d bytes", &limit); n == 1 && err == nil {
		msg = fmt.Sprintf("the body is larger than the %d bytes that this takes; send less", limit-1)
	}
	p := newProblem(ctx, code, msg)
	if status != 0 {
		p.Status = status
	}
	var said []string
	for _, e := range errs {
		f := FieldError{Message: "is not right"}
		var d huma.ErrorDetailer
		if errors.As(e, &d) {
			detail := d.ErrorDetail()
			f = FieldError{Location: detail.Location, Message: detail.Message}
		}
		p.Errors = append(p.Errors, f)
		if len(said) < 3 {
			said = append(said, strings.TrimPrefix(f.Location+": "+f.Message, ": "))
		}
	}
	if len(said) > 0 {
		p.Detail = strings.Join(said, "; ")
		p.Text = p.Detail
	}
	return p
}

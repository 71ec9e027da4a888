package awstest

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
)

// FunctionError is how a Lambda function fails: Type is the error name that a state machine's Retry and Catch compare.
type FunctionError struct{ Type, Message string }

func (e *FunctionError) Error() string { return e.Type + ": " + e.Message }

// newEdge stands where moto believes all services are: it answers Lambda invocations and passes the rest to moto.
func newEdge(moto string, lambda func(name string, payload []byte) ([]byte, error)) http.Handler {
	target, err := url.Parse(moto)
	if err != nil {
		panic(err) // made from a port above
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host
	}}
	mux := http.NewServeMux()
	mux.Handle("/", proxy)
	if lambda != nil {
		mux.HandleFunc("POST /2015-03-31/functions/{name}/invocations", func(w http.ResponseWriter, r *http.Request) {
			invoke(w, r, lambda)
		})
	}
	return mux
}

// invoke answers as Lambda's Invoke does: a failed function is status 200 with a header and a description of the error.
func invoke(w http.ResponseWriter, r *http.Request, lambda func(string, []byte) ([]byte, error)) {
	payload, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	out, err := lambda(functionName(r.PathValue("name")), payload)
	if err != nil {
		failed := &FunctionError{Type: "Unhandled", Message: err.Error()}
		_ = errors.As(err, &failed)
		w.Header().Set("X-Amz-Function-Error", "Unhandled")
		out, _ = json.Marshal(map[string]string{"errorType": failed.Type, "errorMessage": failed.Message})
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Amz-Executed-Version", "$LATEST")
	_, _ = w.Write(out)
}

// functionName reads the name out of a name, an ARN, or either with a version behind it.
func functionName(s string) string {
	if _, after, ok := strings.Cut(s, ":function:"); ok {
		s = after
	}
	name, _, _ := strings.Cut(s, ":")
	return name
}

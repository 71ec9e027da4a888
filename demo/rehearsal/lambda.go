package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/proagentstore/pags/pkg/local/gateway"
	"github.com/proagentstore/pags/pkg/port"
)

// lambdaFront answers what functions ask of Lambda: that another one does a piece of work while they wait.
type lambdaFront struct{ gateway *gateway.Gateway }

// most is what Lambda carries (quotas: 6 MB each way).
const most = 6 << 20

func (l lambdaFront) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	refuse := func(status int, name, why string) {
		w.Header().Set("X-Amzn-Errortype", name)
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]string{"Type": "User", "message": why})
	}
	payload, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if err != nil {
		refuse(http.StatusRequestEntityTooLarge, "RequestTooLargeException", err.Error())
		return
	}
	if kind := r.Header.Get("X-Amz-Invocation-Type"); kind != "RequestResponse" {
		refuse(http.StatusBadRequest, "InvalidParameterValueException", "the rehearsal waits for answers only, not "+kind)
		return
	}
	out, err := l.gateway.Invoke(r.Context(), r.PathValue("name"), payload)
	var failed *port.FunctionError
	switch {
	case errors.As(err, &failed):
		w.Header().Set("X-Amz-Function-Error", "Unhandled")
		_ = json.NewEncoder(w).Encode(map[string]string{"errorType": failed.Type, "errorMessage": failed.Message})
	case err != nil:
		refuse(http.StatusInternalServerError, "ServiceException", err.Error())
	case len(out) > most:
		w.Header().Set("X-Amz-Function-Error", "Unhandled")
		_ = json.NewEncoder(w).Encode(map[string]string{"errorType": "Function.ResponseSizeTooLarge", "errorMessage": "Response payload size exceeded maximum allowed payload size (6291556 bytes)."})
	default:
		_, _ = w.Write(out)
	}
}

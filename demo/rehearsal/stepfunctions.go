package main

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// stepFunctions answers what functions ask of Step Functions (AWS JSON 1.0: the operation in X-Amz-Target) with the embedded
// interpreter.
type stepFunctions struct{ brains port.Brains }

const machineARN = "arn:aws:states:" + region + ":123456789012:stateMachine:"

func (s stepFunctions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct{ StateMachineArn, ExecutionArn, Name, Input, TaskToken, Output, Error, Cause string }
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	ctx, out := r.Context(), map[string]any{}
	var err error
	switch _, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), "."); op {
	case "StartExecution":
		var id string
		id, err = s.brains.Start(ctx, strings.TrimPrefix(in.StateMachineArn, machineARN), in.Name, []byte(in.Input))
		out["executionArn"], out["startDate"] = id, 0
	case "StopExecution":
		err = s.brains.Stop(ctx, in.ExecutionArn, in.Error, in.Cause)
		out["stopDate"] = 0
	case "DescribeExecution":
		var e port.Execution
		e, err = s.brains.Describe(ctx, in.ExecutionArn)
		out = map[string]any{"executionArn": e.ID, "stateMachineArn": machineARN + e.Machine, "name": e.Name, "status": e.Status, "startDate": e.StartedAt.Unix(), "input": string(e.Input)}
		if e.Status != "RUNNING" {
			out["stopDate"], out["output"], out["error"], out["cause"] = e.StoppedAt.Unix(), string(e.Output), e.Error, e.Cause
		}
	case "SendTaskSuccess":
		err = s.brains.SendSuccess(ctx, in.TaskToken, []byte(in.Output))
	case "SendTaskFailure":
		err = s.brains.SendFailure(ctx, in.TaskToken, in.Error, in.Cause)
	case "SendTaskHeartbeat":
		err = s.brains.SendHeartbeat(ctx, in.TaskToken)
	default:
		err = pags.Errorf(pags.Invalid, "the rehearsal has no %s", op)
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	if err != nil {
		name := map[pags.Code]string{pags.Conflict: "ExecutionAlreadyExists", pags.Gone: "TaskTimedOut", pags.NotFound: "ExecutionDoesNotExist"}[pags.CodeOf(err)]
		if name == "" {
			name = "ValidationException"
		}
		w.WriteHeader(http.StatusBadRequest)
		out = map[string]any{"__type": name, "message": err.Error()}
	}
	_ = json.NewEncoder(w).Encode(out)
}

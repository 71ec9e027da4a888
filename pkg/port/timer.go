package port

import (
	"encoding/json"

	"github.com/proagentstore/pags/pkg/pags"
)

// MaxTimerPayload is what EventBridge Scheduler takes as a target's input.
const MaxTimerPayload = 256 * 1024

// CheckTimer holds a timer to what every adapter can keep: a name, a function, a payload that is JSON.
func CheckTimer(name, function string, payload []byte) error {
	switch {
	case name == "" || len(name) > 512:
		return pags.Errorf(pags.Invalid, "a timer's name must be 1 to 512 bytes")
	case function == "":
		return pags.Errorf(pags.Invalid, "a timer needs the function to call")
	case len(payload) > MaxTimerPayload:
		return pags.Errorf(pags.TooLarge, "a timer's payload is at most 256 KB; keep the body elsewhere and pass its id")
	case !json.Valid(payload):
		return pags.Errorf(pags.Invalid, "a timer's payload must be JSON")
	}
	return nil
}

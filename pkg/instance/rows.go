package instance

import (
	"strings"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Each key of the configuration is an attribute of its own with this prefix, so that two changes of different keys never
// undo each other.
const configPrefix = "cfg_"

func metaKey(id pags.InstanceID) port.Key { return port.Key{PK: "I#" + string(id), SK: "META"} }
func listOf(uid pags.UserID) string       { return "U#" + string(uid) + "#INSTANCES" }

func encode(in pags.Instance) (port.Item, error) {
	it, err := port.Encode(metaKey(in.ID), in)
	if err != nil {
		return nil, err
	}
	delete(it, "config")
	return it.In("g1", listOf(in.UserID), string(in.ID)), nil
}

func decode(it port.Item) (pags.Instance, error) {
	var in pags.Instance
	if err := port.Decode(it, &in); err != nil {
		return in, err
	}
	in.Config = map[string]any{}
	for attr, v := range it {
		if name, ok := strings.CutPrefix(attr, configPrefix); ok {
			in.Config[name] = v
		}
	}
	return in, nil
}

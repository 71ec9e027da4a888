package run

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"strconv"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// shards spreads the list of open runs over partitions.
const shards = 8

func headKey(id pags.RunID) port.Key { return port.Key{PK: "R#" + string(id), SK: "META"} }

func doneKey(id pags.RunID, key string) port.Key {
	return port.Key{PK: "R#" + string(id), SK: "DONE#" + key}
}

func eventKey(id pags.RunID, seq int64) port.Key {
	return port.Key{PK: "R#" + string(id), SK: fmt.Sprintf("EVENT#%010d", seq)}
}

func lockKey(id pags.InstanceID) port.Key { return port.Key{PK: "I#" + string(id), SK: "LOCK"} }

func openShard(n int) string { return "OPEN#" + strconv.Itoa(n) }

func openKey(id pags.RunID) port.Key {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // never fails
	return port.Key{PK: openShard(int(h.Sum32() % shards)), SK: string(id)}
}

// head is the stored run; version guards it against lost updates.
type head struct {
	pags.Run
	Version int64 `json:"version"`
}

func (h head) item() (port.Item, error) {
	it, err := port.Encode(headKey(h.ID), h)
	if err != nil {
		return nil, err
	}
	it = it.In("g1", "U#"+string(h.UserID)+"#RUNS", string(h.ID))
	if h.InstanceID != "" {
		it = it.In("g2", "I#"+string(h.InstanceID)+"#RUNS", string(h.ID))
	}
	return it, nil
}

// lock is who holds an instance. The row stays when it is free: the fence only grows.
type lock struct {
	RunID pags.RunID `json:"runId"`
	Fence int64      `json:"fence"`
}

// ExecutionName names a run's execution: run id and generation.
func ExecutionName(id pags.RunID, generation int) string {
	return string(id) + "-g" + strconv.Itoa(generation)
}

// ExecutionInput is what every execution of a run begins with.
func ExecutionInput(id pags.RunID, generation, step int) []byte {
	return fmt.Appendf(nil, `{"v":1,"runId":%q,"generation":%d,"step":%d}`, string(id), generation, step)
}

var nameShape = regexp.MustCompile(`(run_[0-9A-Z]{26})-g(\d+)$`)

// parseExecution reads run and generation off an execution's name or id; ok is false for one that is not a run's.
func parseExecution(name string) (id pags.RunID, generation int, ok bool) {
	m := nameShape.FindStringSubmatch(name)
	if m == nil {
		return "", 0, false
	}
	generation, err := strconv.Atoi(m[2])
	return pags.RunID(m[1]), generation, err == nil
}

package boot

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/proagentstore/pags/pkg/aws/lambda"
	"github.com/proagentstore/pags/pkg/codemode"
	"github.com/proagentstore/pags/pkg/execution"
	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/wire"
)

// Outbound is how APIs are reached: public addresses by https, and hosts of TOOL_HOSTS; template.yaml names none.
func Outbound(_ *Function, d *wire.Deps) {
	policy := guard.Policy{AllowHosts: list("TOOL_HOSTS")}
	d.Outbound, d.Config.CheckToolURL = guard.Client(policy), policy.CheckURL
}

// Dispatch has the calls of programs judged and sent by the function CODE_CALL_FUNCTION. To judge twice is harmless; to send
// twice is not, so a send that may have arrived is never made again here.
func Dispatch(f *Function, d *wire.Deps) {
	there := lambda.New(f.aws, need("CODE_CALL_FUNCTION"), f.clock)
	d.Dispatch = func(ctx context.Context, in execution.DispatchInput) (out execution.DispatchOutput, err error) {
		var payload bytes.Buffer
		enc := json.NewEncoder(&payload)
		enc.SetEscapeHTML(false) // arguments are data: six bytes for each < would waste what fits
		if err := enc.Encode(in); err != nil {
			return out, fmt.Errorf("write call %d of %s: %w", in.Call.Seq, in.RunID, err)
		}
		answer, err := there.Invoke(ctx, payload.Bytes(), in.Op == "admit")
		if err == nil {
			err = json.Unmarshal(answer, &out)
		}
		if err != nil {
			return out, fmt.Errorf("%s call %d of %s: %w", in.Op, in.Call.Seq, in.RunID, err)
		}
		return out, nil
	}
}

// codeCache is the folder beside the bootstrap with the sandbox's machine code, where the build could make it.
const codeCache = "code-cache"

// Sandbox runs programs in this process. Its machine code is made or loaded now, while the function starts: Lambda gives that
// phase a whole processor.
func Sandbox(f *Function, d *wire.Deps) {
	dir := ""
	if self, err := os.Executable(); err == nil {
		dir = ownCache(filepath.Join(filepath.Dir(self), codeCache))
	}
	engine, err := codemode.NewEngine(codemode.Options{CacheDir: dir})
	if err == nil {
		err = engine.Warm(context.Background())
	}
	if dir != "" {
		_ = os.RemoveAll(dir) // what it held is in memory now
	}
	if err != nil {
		fail("make the sandbox: %v", err)
	}
	d.Sandbox = engine
}

// ownCache copies a shipped cache to a new folder that only this process can write: what lies in a cache is run, and the engine
// writes to it where it misses something, which the package's own folder does not allow. Empty: there is none.
func ownCache(shipped string) string {
	if _, err := os.Stat(shipped); err != nil {
		return ""
	}
	dir, err := os.MkdirTemp("", "pags-"+codeCache+"-") // 0700
	if err != nil {
		return ""
	}
	if err := os.CopyFS(dir, os.DirFS(shipped)); err != nil {
		_ = os.RemoveAll(dir)
		return ""
	}
	return dir
}

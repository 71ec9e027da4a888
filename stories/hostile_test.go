package stories

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/proagentstore/pags/stories/hostile"
)

// What the host is started with, so that programs which never end are over soon, and one more than it has room for comes at once.
const (
	rooms     = 3
	computing = 400 * time.Millisecond
)

// native are programs that only a kill ends, and a fresh worker follows: as many at once show how late this machine is. Hard
// figures are the benchmarks', on a quiet one.
var native = slices.Repeat([]hostile.Program{{Name: "reverse", Code: `Array.prototype.reverse.call({ length: 4294967295 })`}}, rooms+1)

func TestHostile_SB01_EachEndsAtItsDeadlineAndTheHostGoesOnAnswering(t *testing.T) {
	b := newToolbox(t, "--programs", strconv.Itoa(rooms), "--compute", computing.String())
	b.exec("return 0")
	control := slices.Max(b.atOnce(native)) // of which one waits for a room
	health := b.looking()
	for round := range slices.Chunk(hostile.Programs, rooms+1) {
		for i, late := range b.atOnce(round) {
			if most := 2*max(control, computing) + 250*time.Millisecond; late > most {
				t.Errorf("%s: it ended %s after its deadline; others %s", round[i].Name, late, control)
			}
		}
	}
	if worst := health(); worst > 500*time.Millisecond {
		t.Errorf("a health request took %s meanwhile", worst)
	}
	if x := b.exec(`Array.prototype.map.call([1], (v) => v); return [1].map((v) => v + 1)`); x.Status != "completed" || fmt.Sprint(x.Result) != "[2]" {
		t.Errorf("afterwards a program gives %+v", x)
	}
}

// atOnce runs programs side by side and says of each how late it ended.
func (b *toolbox) atOnce(programs []hostile.Program) []time.Duration {
	late := make([]time.Duration, len(programs))
	var all sync.WaitGroup
	for i, p := range programs {
		all.Go(func() { late[i] = b.late(p) })
	}
	all.Wait()
	return late
}

// late runs a hostile program and says how long after its deadline it ended, by the host's own times.
func (b *toolbox) late(p hostile.Program) time.Duration {
	x := b.exec(p.Code)
	var times struct{ CreatedAt, EndedAt time.Time }
	b.get(x.path(), &times)
	if x.Status != "failed" || x.Error == nil || !p.Ends && x.Error.Kind != "time" || x.Error.Message == "" {
		b.t.Errorf("%s: %s %+v", p.Name, x.Status, x.Error)
	}
	return times.EndedAt.Sub(times.CreatedAt) - computing
}

// looking asks for the host's health and for the memory of its workers until stopped, and says how long the slowest answer took.
func (b *toolbox) looking() (stop func() time.Duration) {
	done, over := make(chan struct{}), make(chan struct{})
	worst, most := time.Duration(0), 0
	go func() {
		defer close(over)
		for {
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
			}
			began := time.Now()
			res, err := http.Get(b.URL() + "/health")
			if err != nil {
				b.t.Errorf("health: %v", err)
				return
			}
			_ = res.Body.Close()
			worst = max(worst, time.Since(began))
			if runtime.GOOS == "linux" {
				most = max(most, b.workerMemory())
			}
		}
	}()
	return func() time.Duration {
		close(done)
		<-over
		b.t.Logf("slowest health answer %s, largest worker %d MB", worst, most)
		if runtime.GOOS == "linux" && (most == 0 || most > 96) { // 1.5 times the 64 MB of a program
			b.t.Errorf("the largest worker had %d MB", most)
		}
		return worst
	}
}

// workerMemory is what the largest worker of this host holds now, in MB, without what it shares with others.
func (b *toolbox) workerMemory() (most int) {
	out, err := exec.Command("pgrep", "-P", strconv.Itoa(b.host.Pid())).Output()
	if err != nil {
		return 0 // none right now
	}
	for _, pid := range strings.Fields(string(out)) {
		f, err := os.Open("/proc/" + pid + "/status")
		if err != nil {
			continue // it has ended
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			var kb int
			if n, _ := fmt.Sscanf(lines.Text(), "RssAnon: %d kB", &kb); n == 1 {
				most = max(most, kb>>10)
			}
		}
		_ = f.Close()
	}
	return most
}

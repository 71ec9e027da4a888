package turn

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/proagentstore/pags/pkg/brain/browse"
	"github.com/proagentstore/pags/pkg/crash"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

// turnOf is what one decision works with.
type turnOf struct {
	cursor    Cursor
	execution string
	run       pags.Run
	prev      *step // nil before the first decision
	result    *relay.Result
	machine   pags.MachineID
	state     browse.State
	reply     *port.Reply
	move      browse.Move
}

// decide makes the decision after the cursor's step, or finds it made. The model is asked at most once for it.
func (s *Service) decide(ctx context.Context, c Cursor, execution string) (Cursor, error) {
	if c.V != CursorVersion {
		return Cursor{}, pags.Errorf(pags.Invalid, "a cursor of version %d cannot be continued by this release", c.V)
	}
	run, err := s.Runs.Load(ctx, c.RunID)
	if err != nil {
		return Cursor{}, err
	}
	if run.Status.Over() {
		return over(c, run), nil
	}
	if c.Generation < run.Generation { // handed over already; the next execution may not have begun
		return handover(c, run), nil
	}
	rows, err := s.steps(ctx, c.RunID, true, c.Step, c.Step+1)
	if err != nil {
		return Cursor{}, err
	}
	if made := rows[1]; made != nil {
		return s.cursorOf(c, made), nil
	}
	t := &turnOf{cursor: c, execution: execution, run: run, prev: rows[0]}
	if c.Step > 0 && t.prev == nil {
		return Cursor{}, pags.Errorf(pags.Internal, "run %s has no step %d", c.RunID, c.Step)
	}
	if t.prev != nil && t.prev.Generation == c.Generation && t.prev.Count >= s.HandoverAfter {
		return s.handOver(ctx, t)
	}
	if again, err := s.next(ctx, t); err != nil || again != nil {
		if again != nil {
			return *again, err
		}
		return Cursor{}, err
	}
	return s.write(ctx, t)
}

// next finds the move; a cursor says that the same step has to be waited for again.
func (s *Service) next(ctx context.Context, t *turnOf) (*Cursor, error) {
	if t.prev == nil {
		return nil, s.begin(ctx, t)
	}
	t.state = t.prev.State
	if t.state.V != browse.Version {
		t.end(pags.OutcomeFailed, "This run was begun by another release of pags and cannot be continued; start it again.")
		return nil, nil
	}
	in, again, err := s.gather(ctx, t)
	if err != nil || again != nil || t.move.Kind != "" {
		return again, err
	}
	if t.run.CancelAsked && t.state.Ending == nil {
		t.state.Used = t.state.Used || in.Result != nil
		t.state, t.move = browse.Cancel(t.state)
		return nil, nil
	}
	state, move := browse.Observe(t.state, in)
	t.state = state
	if move != nil {
		t.move = *move
		return nil, nil
	}
	return nil, s.think(ctx, t)
}

// begin makes the first move from what the run was asked.
func (s *Service) begin(ctx context.Context, t *turnOf) error {
	if t.run.CancelAsked {
		t.end(pags.OutcomeCancelled, "Cancelled before it began.")
		return nil
	}
	inst, err := s.Instances.Load(ctx, t.run.InstanceID)
	if err != nil {
		return fmt.Errorf("instance of run %s: %w", t.run.ID, err)
	}
	agent, err := s.Agents.Get(ctx, inst.AgentID)
	if err != nil {
		return fmt.Errorf("agent of run %s: %w", t.run.ID, err)
	}
	b := t.run.Browse
	t.state, t.move = browse.Begin(browse.Start{
		Agent: agent.Name, Instructions: instructions(agent, inst), URL: b.URL, Objective: b.Objective, DryRun: b.DryRun, ReadOnly: b.ReadOnly,
		Approve: b.Approve, MaxSteps: t.run.MaxSteps, Files: b.Files, AllowHosts: allowHosts(inst),
	})
	return nil
}

// instructions are the agent's, then what the owner of the instance added (spec platform 5.1: goal and rendered settings).
func instructions(agent pags.Agent, inst pags.Instance) string {
	var b strings.Builder
	b.WriteString(agent.Instructions)
	if special, _ := inst.Config["specialInstructions"].(string); special != "" {
		b.WriteString("\n\nYour owner adds:\n" + special)
	}
	settings, _ := inst.Config["settings"].(map[string]any)
	for i, name := range slices.Sorted(maps.Keys(settings)) {
		if i == 0 {
			b.WriteString("\n\nYour owner's settings:")
		}
		fmt.Fprintf(&b, "\n- %s: %v", name, settings[name])
	}
	return strings.TrimSpace(b.String())
}

// allowHosts are the private addresses that the owner allowed in the instance's setting of that name.
func allowHosts(inst pags.Instance) []string {
	list, _ := inst.Config["allowHosts"].([]any)
	var hosts []string
	for _, v := range list {
		if h, ok := v.(string); ok && len(h) <= 255 && len(hosts) < 50 {
			hosts = append(hosts, h)
		}
	}
	return hosts
}

// end decides that the run is over, without the brain.
func (t *turnOf) end(o pags.Outcome, detail string) {
	t.move = browse.Move{Kind: browse.MoveEnd, Text: detail, Outcome: o, Detail: detail}
}

// handOver moves the run to a fresh execution, long before this one's history is full.
func (s *Service) handOver(ctx context.Context, t *turnOf) (Cursor, error) {
	next := t.cursor.Generation + 1
	run, err := s.Runs.Advance(ctx, t.run.ID, fmt.Sprintf("handover-%d", next), func(r *pags.Run) error {
		r.Generation = next
		return nil
	}, pags.Event{Kind: "handover", Step: t.cursor.Step, Text: fmt.Sprintf("Goes on in execution %d.", next)})
	if pags.Is(err, pags.Conflict) {
		return over(t.cursor, run), nil
	}
	if err != nil {
		return Cursor{}, err
	}
	crash.Here(crash.HandoverAfter)
	return handover(t.cursor, run), nil
}

func handover(c Cursor, r pags.Run) Cursor {
	next := c.Generation + 1
	return Cursor{V: CursorVersion, RunID: c.RunID, Generation: c.Generation, Step: c.Step, Next: NextHandover,
		NextName: executionName(r.ID, next), NextGeneration: next}
}

package instance

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// maxName is the longest display name (spec platform 1.3).
const maxName = 60

// Subscribe makes a new instance of an agent for the caller, every time; name may be empty. A repeat with the same key
// makes nothing and answers the first one.
func (s *Service) Subscribe(ctx context.Context, uid pags.UserID, agentID pags.AgentID, name, key string) (pags.Instance, error) {
	var none pags.Instance
	agent, err := s.Agents.Get(ctx, agentID)
	if err != nil {
		return none, err
	}
	if name != "" {
		if name, err = goodName(name); err != nil {
			return none, err
		}
	}
	request := map[string]string{"agentId": string(agent.ID), "displayName": name}
	made := false
	in, err := httpapi.Idempotent(ctx, s.answers, key, request, func(keep func(pags.Instance) ([]port.Write, error)) (pags.Instance, error) {
		number, err := s.next(ctx, uid, agent.ID)
		if err != nil {
			return none, err
		}
		now := s.Clock.Now().UTC()
		in := pags.Instance{ID: pags.NewInstanceID(now), UserID: uid, AgentID: agent.ID, DisplayName: name, Status: Active,
			Config: map[string]any{}, CreatedAt: now, LastActivityAt: now}
		if in.DisplayName == "" {
			in.DisplayName = autoName(agent.Name, number)
		}
		it, err := encode(in)
		if err != nil {
			return none, err
		}
		extra, err := keep(in)
		if err != nil {
			return none, err
		}
		if err := s.Table.Transact(ctx, pags.NewToken()[:32], append(extra, port.Put(it).When(port.NotExists()))...); err != nil {
			return none, fmt.Errorf("subscribe to %s: %w", agent.ID, err)
		}
		made = true
		return in, nil
	})
	if err != nil {
		return none, err
	}
	if made {
		s.changed(ctx, uid)
	}
	return in, nil
}

// next counts the user's instances of the agent, canceled ones too, so that a number is not given twice in a row. The list
// may lag behind: then two get the same number, which is only a name.
func (s *Service) next(ctx context.Context, uid pags.UserID, agentID pags.AgentID) (int, error) {
	same, active := 0, 0
	cursor := ""
	for {
		page, err := s.Table.Query(ctx, port.Query{Index: "g1", PK: listOf(uid), Limit: 1000, Cursor: cursor})
		if err != nil {
			return 0, fmt.Errorf("count instances: %w", err)
		}
		for _, it := range page.Items {
			if it["agentId"] == string(agentID) {
				same++
			}
			if it["status"] == Active {
				active++
			}
		}
		if cursor = page.Cursor; cursor == "" {
			break
		}
	}
	if active >= MaxActive {
		return 0, pags.Errorf(pags.Conflict, "you have %d active instances, the most there can be; cancel one first", active)
	}
	return same + 1, nil
}

func autoName(agent string, n int) string {
	tail := fmt.Sprintf(" %d", n)
	head := []rune(agent)
	if room := maxName - len(tail); len(head) > room {
		head = head[:room]
	}
	return string(head) + tail
}

// goodName trims a name and refuses one that is empty, too long, or holds characters that people cannot see.
func goodName(name string) (string, error) {
	name = strings.TrimSpace(name)
	switch {
	case name == "":
		return "", pags.Errorf(pags.Unprocessable, "a name needs at least one visible character")
	case utf8.RuneCountInString(name) > maxName:
		return "", pags.Errorf(pags.Unprocessable, "a name has at most %d characters", maxName)
	case guard.Visible(name) != name || strings.ContainsAny(name, "\n\t"):
		return "", pags.Errorf(pags.Unprocessable, "a name cannot hold line breaks or invisible characters")
	}
	return name, nil
}

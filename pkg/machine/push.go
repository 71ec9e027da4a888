package machine

import (
	"context"
	"fmt"
	"sync"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

// pushers bounds the sockets that are written to at the same time.
const pushers = 8

// Push sends a message to the user's open consoles. It is best effort and never fails the caller's work: dead sockets are
// forgotten, a throttled one gets a second try after the others, any other failure is logged. Events too large for a
// message go without their list: the console reads them.
func (s *Service) Push(ctx context.Context, user pags.UserID, m relay.Message) {
	page, err := s.Table.Query(ctx, port.Query{PK: userPK(user), Prefix: "CONSOLE#"})
	if err != nil {
		s.Log.Warn("consoles were not told", "user", user, "reason", err.Error())
		return
	}
	var events relay.Events
	if m.Kind == relay.KindEvents {
		if err := m.Read(&events); err != nil {
			s.Log.Error("consoles were not told", "user", user, "reason", err.Error())
			return
		}
	}
	if m.ID == "" {
		m.ID = newID()
	}
	if _, err := relay.Split(m); pags.Is(err, pags.TooLarge) && m.Kind == relay.KindEvents {
		events.Events = nil
		if m, err = relay.New(m.ID, m.Kind, events); err != nil {
			s.Log.Error("consoles were not told", "user", user, "reason", err.Error())
			return
		}
	}
	var open []string
	for _, it := range page.Items {
		id, _ := it["connectionId"].(string)
		watched, _ := it["runId"].(string)
		if watched == "" || m.Kind != relay.KindEvents || watched == string(events.Run.ID) {
			open = append(open, id)
		}
	}
	again := s.pushAll(ctx, user, open, m)
	failed := s.pushAll(ctx, user, again, m)
	s.Log.Debug("consoles told", "user", user, "kind", m.Kind, "sockets", len(open), "failed", len(failed))
}

// pushAll sends to each and returns those worth another try.
func (s *Service) pushAll(ctx context.Context, user pags.UserID, open []string, m relay.Message) (again []string) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	free := make(chan struct{}, pushers)
	for _, id := range open {
		free <- struct{}{}
		wg.Go(func() {
			defer func() { <-free }()
			switch err := s.send(ctx, id, m); {
			case err == nil:
			case pags.Is(err, pags.Gone):
				if err := s.dropConnection(ctx, connection{ID: id, Role: roleConsole, UserID: user}); err != nil {
					s.Log.Warn("a dead console stays listed", "connection", id, "reason", err.Error())
				}
			default:
				s.Log.Warn("a console was not told", "connection", id, "reason", err.Error())
				mu.Lock()
				again = append(again, id)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return again
}

// MembersChanged tells the user's connected machines what they serve now.
func (s *Service) MembersChanged(ctx context.Context, user pags.UserID) error {
	all, _, err := s.list(ctx, user, "", MaxMachines)
	if err != nil {
		return err
	}
	for _, c := range all {
		if !s.heardWithin(c.conn, silence) {
			continue
		}
		members, err := s.members(ctx, c.machine, c.conn.Only)
		if err != nil {
			return err
		}
		err = s.post(ctx, c.conn.ConnectionID, relay.KindMembers, relay.Members{Instances: members})
		if pags.Is(err, pags.Gone) {
			err = s.dropServing(ctx, c.machine.ID, c.conn.ConnectionID)
		}
		if err != nil {
			return fmt.Errorf("tell %s what it serves: %w", c.machine.ID, err)
		}
	}
	return nil
}

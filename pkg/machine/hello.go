package machine

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"slices"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

// hello lets a runner serve its machine: the signature is the machine's, the session still holds, the place is free.
func (s *Service) hello(ctx context.Context, c connection, m relay.Message) error {
	var h relay.Hello
	if err := m.Read(&h); err != nil {
		return err
	}
	mac, code, reason, err := s.introduce(ctx, c, h)
	if err != nil {
		return err
	}
	if code != 0 {
		s.refuse(ctx, c.ID, code, reason)
		return nil
	}
	mac.Capabilities, mac.Version = nonNil(h.Capabilities), h.RunnerVersion
	taken, err := s.takePlace(ctx, c, h, mac)
	if err != nil {
		return err
	}
	if !taken {
		s.refuse(ctx, c.ID, relay.CodeSlotTaken, fmt.Sprintf("another pags up already serves %s; stop it, or start this one with --force to take over", mac.Node))
		return nil
	}
	members, err := s.members(ctx, mac, h.Only)
	if err != nil {
		return err
	}
	err = s.post(ctx, c.ID, relay.KindWelcome, relay.Welcome{Instances: members, ServerTime: s.Clock.Now().UTC(), ServerVersion: s.Version})
	if pags.Is(err, pags.Gone) {
		return s.dropServing(ctx, mac.ID, c.ID)
	}
	if err != nil {
		return fmt.Errorf("welcome %s: %w", mac.ID, err)
	}
	s.Log.Info("machine is served", "machine", mac.ID, "connection", c.ID, "version", clip(h.RunnerVersion, 80))
	return s.resend(ctx, mac, c.ID)
}

// introduce checks who says hello; a code other than 0 refuses.
func (s *Service) introduce(ctx context.Context, c connection, h relay.Hello) (m pags.Machine, code int, reason string, err error) {
	if h.MachineID != c.MachineID || h.Node != c.Node {
		return m, relay.CodeBadHello, "hello names another machine or node than the ticket", nil
	}
	if len(h.Process) > 64 || len(h.RunnerVersion) > 80 || len(h.Capabilities) > 50 || len(h.Only) > 100 {
		return m, relay.CodeBadHello, "hello has a field above its limit", nil
	}
	err = s.load(ctx, machineKey(c.MachineID), &m)
	if pags.Is(err, pags.NotFound) || (err == nil && m.UserID != c.UserID) {
		return m, relay.CodeUnauthorized, "this machine is not registered (any more); start pags up again", nil
	}
	if err != nil {
		return m, 0, "", fmt.Errorf("read machine %s: %w", c.MachineID, err)
	}
	public, err1 := base64.StdEncoding.DecodeString(m.PublicKey)
	sig, err2 := base64.StdEncoding.DecodeString(h.Signature)
	if err1 != nil || err2 != nil || len(public) != ed25519.PublicKeySize || !ed25519.Verify(public, relay.SigningText(c.Nonce, m.ID, h.Node), sig) {
		return m, relay.CodeBadHello, "the signature is not this machine's; its key changed, register it again", nil
	}
	if err := s.Account.Active(ctx, c.UserID, c.SessionID); err != nil {
		if pags.Is(err, pags.Unauthenticated) || pags.Is(err, pags.Forbidden) {
			return m, relay.CodeUnauthorized, signedOut, nil
		}
		return m, 0, "", fmt.Errorf("check a session: %w", err)
	}
	return m, 0, "", nil
}

const signedOut = "the session was ended or the account is suspended; sign in again with pags login"

// members lists what the machine serves, as far as one message holds it; the newest that do not fit are left out.
func (s *Service) members(ctx context.Context, m pags.Machine, only []pags.InstanceID) ([]relay.Member, error) {
	all, err := s.Instances.ListForMachine(ctx, m.UserID, m)
	if err != nil {
		return nil, fmt.Errorf("list what %s serves: %w", m.ID, err)
	}
	mine := make([]relay.Member, 0, len(all))
	size := 0
	for _, x := range all {
		size += 200 + len(x.DisplayName)*2 + len(x.AgentID)
		if size > relay.MaxMessage {
			s.Log.Warn("a machine serves only a part of its instances", "machine", m.ID, "served", len(mine), "of", len(all))
			break
		}
		if serves(only, x.InstanceID) {
			mine = append(mine, x)
		}
	}
	return mine, nil
}

func serves(only []pags.InstanceID, id pags.InstanceID) bool {
	return len(only) == 0 || slices.Contains(only, id)
}

// resend rings for every open call of the machine, and for those of its user that waited for any machine.
func (s *Service) resend(ctx context.Context, m pags.Machine, connectionID string) error {
	for _, pk := range []string{machinePK(m.ID), userPK(m.UserID)} {
		cursor := ""
		for {
			page, err := s.Table.Query(ctx, port.Query{PK: pk, Prefix: "CALL#", Cursor: cursor})
			if err != nil {
				return fmt.Errorf("list open calls: %w", err)
			}
			for _, it := range page.Items {
				if err := s.resendOne(ctx, it, connectionID); err != nil {
					return err
				}
			}
			if cursor = page.Cursor; cursor == "" {
				break
			}
		}
	}
	return nil
}

func (s *Service) resendOne(ctx context.Context, pointer port.Item, connectionID string) error {
	var p struct {
		RunID pags.RunID `json:"runId"`
		Step  int        `json:"step"`
	}
	if err := port.Decode(pointer, &p); err != nil {
		return err
	}
	var row callRow
	err := s.load(ctx, callKey(p.RunID, p.Step), &row)
	if err != nil && !pags.Is(err, pags.NotFound) {
		return fmt.Errorf("read an open call: %w", err)
	}
	wanted := err == nil && row.Outcome == ""
	if wanted && row.CancelAt == 0 {
		if wanted, err = s.Runs.Wants(ctx, p.RunID, p.Step); err != nil {
			return fmt.Errorf("ask whether run %s wants step %d: %w", p.RunID, p.Step, err)
		}
	}
	switch {
	case !wanted:
		return s.Table.Write(ctx, port.Delete(port.KeyOf(pointer)))
	case row.CancelAt > 0: // it may be at it still; its outcome comes by itself
		if err := s.post(ctx, connectionID, relay.KindCancel, row.ref()); err != nil && !pags.Is(err, pags.Gone) {
			return fmt.Errorf("cancel a call: %w", err)
		}
		return s.Table.Write(ctx, port.Delete(port.KeyOf(pointer)))
	}
	return s.ring(ctx, row, false)
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

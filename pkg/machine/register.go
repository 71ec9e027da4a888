package machine

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

// MaxMachines is how many machines one person may have; a list of them is read for each choice of a machine.
const MaxMachines = 50

// Registration is what a machine says about itself.
type Registration struct {
	PublicKey    string   `json:"publicKey" maxLength:"44" doc:"Ed25519 public key, base64"`
	Node         string   `json:"node" minLength:"1" maxLength:"120" doc:"hostname; a label"`
	Version      string   `json:"version" maxLength:"80"`
	Capabilities []string `json:"capabilities" maxItems:"50" doc:"what it offers, such as browser"`
}

// Register makes a machine of the user's, or updates it: the same public key is the same machine.
func (s *Service) Register(ctx context.Context, user pags.UserID, r Registration) (pags.Machine, error) {
	raw, err := base64.StdEncoding.DecodeString(r.PublicKey)
	if err != nil || len(raw) != ed25519.PublicKeySize {
		return pags.Machine{}, pags.Errorf(pags.Unprocessable, "publicKey must be an Ed25519 public key: base64 of 32 bytes")
	}
	if err := checkNode(r.Node); err != nil {
		return pags.Machine{}, err
	}
	for _, c := range r.Capabilities {
		if c == "" || len(c) > 40 {
			return pags.Machine{}, pags.Errorf(pags.Unprocessable, "a capability has 1 to 40 characters")
		}
	}
	byKey := keyRow(user, r.PublicKey)
	for range 3 {
		var known struct {
			MachineID pags.MachineID `json:"machineId"`
		}
		err := s.load(ctx, byKey, &known)
		if err == nil {
			return s.update(ctx, user, known.MachineID, r)
		}
		if !pags.Is(err, pags.NotFound) {
			return pags.Machine{}, fmt.Errorf("look for a machine: %w", err)
		}
		m, err := s.create(ctx, user, r, byKey)
		if !raced(err) {
			return m, err
		}
	}
	return pags.Machine{}, pags.Errorf(pags.Unavailable, "this machine is being registered elsewhere at the same time; try again")
}

func (s *Service) create(ctx context.Context, user pags.UserID, r Registration, byKey port.Key) (pags.Machine, error) {
	page, err := s.Table.Query(ctx, port.Query{Index: "g1", PK: userPK(user) + "#MACHINES", Limit: MaxMachines})
	if err != nil {
		return pags.Machine{}, fmt.Errorf("count machines: %w", err)
	}
	if len(page.Items) >= MaxMachines {
		return pags.Machine{}, pags.Errorf(pags.Conflict, "you have %d machines, which is the limit; forget one first", MaxMachines)
	}
	now := s.Clock.Now().UTC()
	m := pags.Machine{ID: pags.NewMachineID(now), UserID: user, Node: r.Node, PublicKey: r.PublicKey, Version: r.Version,
		Capabilities: nonNil(r.Capabilities), CreatedAt: now}
	it, err := port.Encode(machineKey(m.ID), m)
	if err != nil {
		return pags.Machine{}, err
	}
	it.In("g1", userPK(user)+"#MACHINES", string(m.ID))
	pointer := port.Item{port.AttrPK: byKey.PK, port.AttrSK: byKey.SK, "machineId": string(m.ID)}
	err = s.Table.Transact(ctx, newID(), port.Put(it).When(port.NotExists()), port.Put(pointer).When(port.NotExists()))
	return m, err
}

func (s *Service) update(ctx context.Context, user pags.UserID, id pags.MachineID, r Registration) (pags.Machine, error) {
	caps := make([]any, len(r.Capabilities))
	for i, c := range r.Capabilities {
		caps[i] = c
	}
	err := s.Table.Write(ctx, port.Update(machineKey(id)).Setting("node", r.Node).Setting("version", r.Version).
		Setting("capabilities", caps).When(port.Eq("userId", string(user))))
	if err != nil && !raced(err) {
		return pags.Machine{}, fmt.Errorf("update machine %s: %w", id, err)
	}
	return s.Machine(ctx, user, id)
}

// Machine shows one machine of the user's; another's is pags.NotFound.
func (s *Service) Machine(ctx context.Context, user pags.UserID, id pags.MachineID) (pags.Machine, error) {
	m, conn, err := s.lookup(ctx, id)
	if err != nil {
		return m, err
	}
	if m.UserID != user {
		return pags.Machine{}, noMachine(id)
	}
	s.judge(&m, conn)
	return m, nil
}

// lookup reads a machine and the connection that serves it, if any.
func (s *Service) lookup(ctx context.Context, id pags.MachineID) (m pags.Machine, conn serving, err error) {
	if id == "" {
		return m, conn, noMachine(id)
	}
	items, err := s.Table.GetMany(ctx, machineKey(id), servingKey(id))
	if err != nil {
		return m, conn, fmt.Errorf("read machine %s: %w", id, err)
	}
	if items[0] == nil {
		return m, conn, noMachine(id)
	}
	if err := port.Decode(items[0], &m); err != nil {
		return m, conn, err
	}
	if items[1] != nil {
		err = port.Decode(items[1], &conn)
	}
	return m, conn, err
}

// judge computes what is only known at read time.
func (s *Service) judge(m *pags.Machine, conn serving) {
	m.Online = s.heardWithin(conn, relay.PongFresh)
	if conn.HeardAt > 0 {
		m.LastSeenAt = time.UnixMilli(conn.HeardAt).UTC()
	}
}

// List lists the user's machines, oldest first.
func (s *Service) List(ctx context.Context, user pags.UserID, cursor string, limit int) ([]pags.Machine, string, error) {
	all, next, err := s.list(ctx, user, cursor, limit)
	if err != nil {
		return nil, "", err
	}
	machines := make([]pags.Machine, len(all))
	for i, c := range all {
		machines[i] = c.machine
		s.judge(&machines[i], c.conn)
	}
	return machines, next, nil
}

// candidate is a machine with the connection that serves it; conn is zero without one.
type candidate struct {
	machine pags.Machine
	conn    serving
}

func (s *Service) list(ctx context.Context, user pags.UserID, cursor string, limit int) ([]candidate, string, error) {
	page, err := s.Table.Query(ctx, port.Query{Index: "g1", PK: userPK(user) + "#MACHINES", Cursor: cursor, Limit: limit})
	if err != nil {
		return nil, "", fmt.Errorf("list machines: %w", err)
	}
	all := make([]candidate, len(page.Items))
	keys := make([]port.Key, len(page.Items))
	for i, it := range page.Items {
		if err := port.Decode(it, &all[i].machine); err != nil {
			return nil, "", err
		}
		keys[i] = servingKey(all[i].machine.ID)
	}
	for from := 0; from < len(keys); from += 100 {
		part := keys[from:min(from+100, len(keys))]
		conns, err := s.Table.GetMany(ctx, part...)
		if err != nil {
			return nil, "", fmt.Errorf("read connections of machines: %w", err)
		}
		for i, it := range conns {
			if it != nil {
				if err := port.Decode(it, &all[from+i].conn); err != nil {
					return nil, "", err
				}
			}
		}
	}
	return all, page.Cursor, nil
}

// Forget removes a machine. One that is online is pags.Conflict unless force is set, which closes its connection.
func (s *Service) Forget(ctx context.Context, user pags.UserID, id pags.MachineID, force bool) error {
	m, conn, err := s.lookup(ctx, id)
	if err != nil {
		return err
	}
	if m.UserID != user {
		return noMachine(id)
	}
	if s.heardWithin(conn, relay.PongFresh) && !force {
		return pags.Errorf(pags.Conflict, "%s is online; stop pags up there first, or forget it with force", m.Node)
	}
	err = s.Table.Transact(ctx, newID(), port.Delete(machineKey(id)), port.Delete(servingKey(id)), port.Delete(keyRow(user, m.PublicKey)))
	if err != nil {
		return fmt.Errorf("forget machine %s: %w", id, err)
	}
	if conn.ConnectionID != "" {
		s.refuse(ctx, conn.ConnectionID, relay.CodeUnauthorized, "this machine was forgotten by its owner; pags up registers it again")
	}
	return nil
}

func keyRow(user pags.UserID, publicKey string) port.Key {
	sum := sha256.Sum256([]byte(publicKey))
	return port.Key{PK: userPK(user), SK: "MACHINEKEY#" + hex.EncodeToString(sum[:16])}
}

func checkNode(node string) error {
	if n := len([]rune(node)); n < 1 || n > 120 {
		return pags.Errorf(pags.Unprocessable, "node must have 1 to 120 characters")
	}
	if guard.Visible(node) != node || strings.ContainsAny(node, "\n\t") { // it is shown to people, and compared by them
		return pags.Errorf(pags.Unprocessable, "node must not hold characters that nobody sees")
	}
	return nil
}

func noMachine(id pags.MachineID) error {
	return pags.Errorf(pags.NotFound, "no machine %s; GET /v1/machines lists yours", id)
}

func nonNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

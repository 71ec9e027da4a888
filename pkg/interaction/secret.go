package interaction

import (
	"context"
	"fmt"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

// bind says what a secret belongs to: opened for anything else it stays shut.
func bind(inst pags.InstanceID, run pags.RunID, id pags.SecretID, origin string) map[string]string {
	return map[string]string{"instance": string(inst), "run": string(run), "secret": string(id), "origin": origin}
}

// seal makes the row of a secret, for the origin that the question named.
func (s *Service) seal(ctx context.Context, x pags.Interaction, text string, now time.Time) (pags.SecretID, port.Write, error) {
	origin, _ := x.Request["origin"].(string)
	if origin == "" {
		return "", port.Write{}, pags.Errorf(pags.Conflict, "this question names no page that a secret could be for")
	}
	id := pags.NewSecretID(now)
	sealed, err := s.Vault.Seal(ctx, []byte(text), bind(x.InstanceID, x.RunID, id, origin))
	if err != nil {
		return "", port.Write{}, fmt.Errorf("seal a secret: %w", err)
	}
	key := secretKey(x.InstanceID, id)
	it := port.Item{port.AttrPK: key.PK, port.AttrSK: key.SK, "sealed": sealed, "origin": origin, "runId": string(x.RunID)}
	return id, port.Put(it.Expiring(now.Add(secretLife))).When(port.NotExists()), nil
}

// OpenSecret is the text behind a handle, for its last hop. Another run's, another instance's or an expired one is
// pags.NotFound.
func (s *Service) OpenSecret(ctx context.Context, inst pags.InstanceID, id pags.SecretID, run pags.RunID) (relay.Secret, error) {
	it, err := s.Table.Get(ctx, secretKey(inst, id))
	if pags.Is(err, pags.NotFound) || err == nil && it["runId"] != string(run) {
		return relay.Secret{}, pags.Errorf(pags.NotFound, "there is no secret %s for this run (any more)", id)
	}
	if err != nil {
		return relay.Secret{}, fmt.Errorf("read secret %s: %w", id, err)
	}
	origin, _ := it["origin"].(string)
	sealed, _ := it["sealed"].([]byte)
	text, err := s.Vault.Open(ctx, sealed, bind(inst, run, id, origin))
	if err != nil {
		return relay.Secret{}, fmt.Errorf("open secret %s: %w", id, err)
	}
	return relay.Secret{Text: string(text), Origin: origin}, nil
}

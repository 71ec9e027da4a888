package key

import (
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// auditLife is how long audit rows stay (spec platform 6.8).
const auditLife = 90 * 24 * time.Hour

// audit notes who did what to which key, never the key.
func (s *Service) audit(uid pags.UserID, action, provider string) (port.Write, error) {
	now := s.Clock.Now().UTC()
	key := port.Key{PK: "U#" + string(uid), SK: "AUDIT#" + now.Format("20060102T150405.000") + "#" + pags.NewToken()[:12]}
	it, err := port.Encode(key, map[string]any{"action": action, "subject": provider, "by": string(uid), "at": now})
	if err != nil {
		return port.Write{}, err
	}
	return port.Put(it.Expiring(now.Add(auditLife))), nil
}

package guard

import (
	"fmt"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// AuditLife is how long an audit row is kept (spec platform 6.8).
const AuditLife = 90 * 24 * time.Hour

// auditText is the longest text an audit row keeps; of longer ones it keeps the size.
const auditText = 120

// Audit makes the write of an audit row: who did what, with ids and sizes, never content. It belongs in the transaction of
// what it is about, so that nothing happens unseen. facts are redacted.
func Audit(at time.Time, user pags.UserID, action string, facts map[string]any) port.Write {
	clean := make(map[string]any, len(facts))
	for name, v := range facts {
		if SecretName(name) && holdsText(v) {
			v = Mask
		}
		if s, ok := v.(string); ok {
			if len(s) > auditText {
				v = fmt.Sprintf("[%d bytes]", len(s))
			} else {
				v = Redact(s)
			}
		}
		clean[name] = v
	}
	at = at.UTC()
	it := port.Item{
		port.AttrPK: "U#" + string(user),
		port.AttrSK: "AUDIT#" + at.Format("2006-01-02T15:04:05.000Z") + "#" + pags.NewToken()[:10],
		"at":        at.Format(time.RFC3339Nano), "action": action, "facts": clean,
	}
	return port.Put(it.Expiring(at.Add(AuditLife)))
}

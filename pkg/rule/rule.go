// Package rule decides whether a call of a tool may go, from what its owner laid down. It is pure.
//
//	rule.go     what a rule says, what is decided, and what holds where no rule does
//	pattern.go  which addresses a rule is about
//	compile.go  the rules of one person, made ready: the most specific one decides
package rule

import "slices"

// Action is what a rule does with a call.
type Action string

// Actions, the most lenient first.
const (
	Approve         Action = "approve"          // it goes without a question
	RequireApproval Action = "require_approval" // a person is asked each time
	Block           Action = "block"            // it never goes, and the tool is not shown
)

// Actions lists every action, the most lenient first.
var Actions = []Action{Approve, RequireApproval, Block}

// strictness orders actions. What is no action counts as the strictest: a rule that we cannot read must not let anything go.
func (a Action) strictness() int {
	if i := slices.Index(Actions, a); i >= 0 {
		return i
	}
	return len(Actions) - 1
}

// Rule is one line of a person's policies, over canonical addresses: <source>.<connection>.<group>.<leaf>.
type Rule struct {
	ID      string
	Pattern string
	Action  Action
}

// Decision is what becomes of a call, and why.
type Decision struct {
	Action  Action `json:"action" enum:"approve,require_approval,block"`
	RuleID  string `json:"policyId,omitempty" doc:"the policy that decided; empty: none matches"`
	Pattern string `json:"pattern,omitempty"`
	Reason  string `json:"reason" doc:"one sentence for people"`
}

func (r Rule) decision() Decision {
	says := "lets it go without a question"
	switch Actions[r.Action.strictness()] {
	case RequireApproval:
		says = "asks before each call"
	case Block:
		says = "blocks it"
	}
	return Decision{Actions[r.Action.strictness()], r.ID, r.Pattern, "the policy " + r.Pattern + " " + says}
}

// standard holds where no rule matches: what only reads goes, everything else is asked about (spec tool-runtime 0).
func standard(readOnly bool) Decision {
	if readOnly {
		return Decision{Action: Approve, Reason: "it only reads, and no policy matches it"}
	}
	return Decision{Action: RequireApproval, Reason: "it may change something, and no policy matches it"}
}

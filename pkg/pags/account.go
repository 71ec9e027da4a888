// Package pags holds the nouns of the product, their ids, statuses and error codes. It imports only the standard library.
package pags

import "time"

// User is a person with an account.
type User struct {
	ID        UserID    `json:"id"`
	Login     string    `json:"login"`
	Name      string    `json:"name"`
	Roles     []string  `json:"roles" doc:"user, creator, admin"`
	Suspended bool      `json:"suspended"`
	CreatedAt time.Time `json:"createdAt"`
}

// Session is one signed-in place: a browser, a CLI. Its refresh token rotates; revoking the session ends it at once.
type Session struct {
	ID        SessionID `json:"id"`
	UserID    UserID    `json:"userId"`
	Label     string    `json:"label" doc:"where it was opened, such as cli or console"`
	Person    bool      `json:"person" doc:"true when a person holds it; only such a session answers interactions or changes keys"`
	CreatedAt time.Time `json:"createdAt"`
	LastUsed  time.Time `json:"lastUsedAt"`
	ExpiresAt time.Time `json:"expiresAt"`
	Revoked   bool      `json:"revoked"`
}

// Agent is a published template: data, never code.
type Agent struct {
	ID           AgentID      `json:"id"`
	Slug         string       `json:"slug"`
	Name         string       `json:"name"`
	Description  string       `json:"description"`
	Category     string       `json:"category"`
	Icon         string       `json:"icon"`
	Instructions string       `json:"instructions"`
	Goal         string       `json:"goal,omitempty"`
	ReadOnly     bool         `json:"readOnly" doc:"its browser never commits anything"`
	Capabilities Capabilities `json:"capabilities"`
	Version      int          `json:"version"`
	FirstParty   bool         `json:"firstParty"`
}

// Capabilities are declared on the agent and never guessed.
type Capabilities struct {
	Surfaces []string `json:"surfaces"`
	Runtime  string   `json:"runtime,omitempty" enum:"browser,coding" doc:"what the person's machine must offer"`
	Workflow string   `json:"workflow,omitempty" enum:"BROWSER_TASK,JOB_APPLY,CODING_SESSION"`
	Tools    []string `json:"tools"`
}

// Instance is a person's private copy of an agent.
type Instance struct {
	ID             InstanceID     `json:"id"`
	UserID         UserID         `json:"userId"`
	AgentID        AgentID        `json:"agentId"`
	DisplayName    string         `json:"displayName"`
	Status         string         `json:"status" enum:"active,canceled"`
	Config         map[string]any `json:"config" doc:"one document, changed one key at a time"`
	CreatedAt      time.Time      `json:"createdAt"`
	LastActivityAt time.Time      `json:"lastActivityAt"`
}

// Machine is a computer of the person that runs pags up. Its id is stable; hostnames are labels.
type Machine struct {
	ID           MachineID `json:"id"`
	UserID       UserID    `json:"userId"`
	Node         string    `json:"node" doc:"hostname, at most 120 characters"`
	PublicKey    string    `json:"publicKey" doc:"Ed25519, base64"`
	Version      string    `json:"version"`
	Capabilities []string  `json:"capabilities"`
	Online       bool      `json:"online" doc:"computed at read time from the last pong"`
	LastSeenAt   time.Time `json:"lastSeenAt,omitzero"`
	CreatedAt    time.Time `json:"createdAt"`
}

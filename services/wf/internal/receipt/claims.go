// Package receipt makes and verifies receipts: signed statements that a request was approved, which a third party
// verifies without the service. A receipt is a JWS (RFC 7515) with the claims of a JWT (RFC 7519). It names people by
// their ids only.
package receipt

import (
	"encoding/json"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
)

// Claims is the payload of a receipt.
type Claims struct {
	Issuer      string          `json:"iss"`
	IssuedAt    int64           `json:"iat"` // seconds since 1970, as nbf and exp
	ID          string          `json:"jti"`
	Subject     string          `json:"sub"` // urn:uuid: and the id of the request
	NotBefore   int64           `json:"nbf,omitempty"`
	Expires     int64           `json:"exp,omitempty"`
	Outcome     string          `json:"outcome"` // always approved
	DecidedAt   identity.Stamp  `json:"decided_at"`
	By          By              `json:"by"`
	Artifact    *Artifact       `json:"artifact,omitempty"`
	Policy      Policy          `json:"policy"`
	ContextHash string          `json:"context_hash"`
	Revision    int             `json:"revision"`
	Requester   string          `json:"requester"`
	Stages      []Stage         `json:"stages"`
	SingleUse   bool            `json:"single_use,omitempty"`
	ConsumedAt  *identity.Stamp `json:"consumed_at,omitempty"`
	Chain       Link            `json:"chain"`
	Truncated   bool            `json:"truncated,omitempty"` // the approvals are replaced by their number
}

// By is the origin of an approval.
type By string

// The origins.
const (
	ByPeople   By = "people"
	ByPolicy   By = "policy" // without a decision, as by auto_approve_when
	ByOverride By = "override"
)

// Artifact is the object of the approval in its own system.
type Artifact struct {
	Type string `json:"type,omitempty"`
	ID   string `json:"id,omitempty"`
}

// Policy is the version that governs the request, and the hash of its definition.
type Policy struct {
	Key         string `json:"key"`
	Version     int    `json:"version"`
	ContentHash string `json:"content_hash"`
}

// Stage is the latest run of a stage.
type Stage struct {
	Key       string         `json:"key"`
	Status    wf.StageStatus `json:"status"`
	Need      int            `json:"need"`
	Approvals Approvals      `json:"approvals"`
}

// Approvals is a list in JSON, or its number in a truncated receipt.
type Approvals struct {
	List  []Approval
	Count int
}

// MarshalJSON writes the list, or the number.
func (a Approvals) MarshalJSON() ([]byte, error) {
	if a.Count > 0 {
		return json.Marshal(a.Count)
	}
	return json.Marshal(append([]Approval{}, a.List...))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (a *Approvals) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &a.Count) == nil {
		return nil
	}
	return json.Unmarshal(text, &a.List)
}

// Approval is a counted approval.
type Approval struct {
	Actor      string         `json:"actor"`
	OnBehalfOf string         `json:"on_behalf_of,omitempty"`
	Basis      wf.Basis       `json:"basis"`
	At         identity.Stamp `json:"at"`
	ACR        string         `json:"acr,omitempty"`
}

// Link is an event of the request's chain.
type Link struct {
	Seq  int64  `json:"seq"`
	Hash string `json:"hash"`
}

// Evidence is the input of a receipt that the request does not contain.
type Evidence struct {
	Issuer     string
	ID         string // of the receipt
	At         time.Time
	PolicyHash string // content_hash of the policy version
	Approved   Link   // the event request.approved
}

// New returns the claims of an approved request.
func New(r wf.Request, singleUse bool, e Evidence) Claims {
	c := Claims{
		Issuer: e.Issuer, IssuedAt: e.At.Unix(), ID: e.ID, Subject: "urn:uuid:" + r.ID, Outcome: string(wf.RequestApproved),
		DecidedAt: identity.Stamp{Time: r.CompletedAt}, By: ByPolicy,
		Policy:      Policy{r.PolicyKey, r.PolicyVersion, e.PolicyHash},
		ContextHash: r.ContextHash, Revision: r.Revision, Requester: r.Requester.ID,
		Stages: []Stage{}, SingleUse: singleUse, Chain: e.Approved,
	}
	if !r.ValidFrom.IsZero() {
		c.NotBefore = r.ValidFrom.Add(time.Second - time.Nanosecond).Unix() // rounded up: never valid earlier
	}
	if !r.ValidUntil.IsZero() {
		c.Expires = r.ValidUntil.Unix() // rounded down: never valid for longer
	}
	if r.ArtifactType != "" || r.ArtifactID != "" {
		c.Artifact = &Artifact{r.ArtifactType, r.ArtifactID}
	}
	if r.Standing == wf.StandingConsumed {
		c.ConsumedAt = identity.StampOf(r.EndedAt)
	}
	for _, run := range r.Stages {
		if latest, _ := r.LatestRun(run.Key); latest.Run != run.Run {
			continue
		}
		stage := Stage{Key: run.Key, Status: run.Status, Need: run.Count.Need}
		for _, a := range run.Approvals(r.Tasks) {
			stage.Approvals.List = append(stage.Approvals.List, Approval{a.Actor, a.OnBehalfOf, a.Basis, identity.Stamp{Time: a.At}, a.ACR})
			if c.By == ByPolicy {
				c.By = ByPeople
			}
			if a.Basis == wf.BasisOverride {
				c.By = ByOverride
			}
		}
		c.Stages = append(c.Stages, stage)
	}
	return c
}

// truncate replaces the approvals by their number.
func (c Claims) truncate() Claims {
	c.Stages = append([]Stage{}, c.Stages...)
	for i, stage := range c.Stages {
		c.Stages[i].Approvals = Approvals{Count: len(stage.Approvals.List)}
	}
	c.Truncated = true
	return c
}

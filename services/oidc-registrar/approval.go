package registrar

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// ApprovalState is the state of an Approval.
type ApprovalState string

const (
	ApprovalAsking      ApprovalState = "asking"      // not yet received by the approval service
	ApprovalWaiting     ApprovalState = "waiting"     // open at the approval service
	ApprovalGranted     ApprovalState = "granted"     // the registration or update may be sent
	ApprovalDenied      ApprovalState = "denied"      // rejected, cancelled or expired; Comment holds the reason
	ApprovalWithdrawing ApprovalState = "withdrawing" // superseded by a later change; the request is not yet cancelled
	ApprovalWithdrawn   ApprovalState = "withdrawn"
)

// Values returns every value.
func (ApprovalState) Values() []ApprovalState {
	return []ApprovalState{
		ApprovalAsking, ApprovalWaiting, ApprovalGranted, ApprovalDenied, ApprovalWithdrawing, ApprovalWithdrawn,
	}
}

// PollInterval is the interval of polls for the state of a request, for lost webhooks.
const PollInterval = 5 * time.Minute

// Approval is the approval of one revision of a client before it is sent to the identity provider.
// It covers that revision only: a later change needs a new approval with the next number.
type Approval struct {
	ClientID string
	Revision int64 // number of the approval among those of the client, from 1
	State    ApprovalState

	Kind   CallKind // held call: the registration or an update
	Wanted Update   // of an update

	Policy    string // of the approval service
	Requester string // subject that registered or changed the client
	Title     string
	Context   string // JSON: content to be approved

	RequestID   string // assigned by the approval service
	ContextHash string // must equal the hash of the approved content
	Comment     string // reason of the refusal or of the revocation

	GrantedAt  time.Time // zero if not granted
	ValidUntil time.Time // zero for none
	Standing   Standing

	AskedAt  time.Time
	DueAt    time.Time // time of the next call to the approval service
	Attempts int       // attempts that were started
}

// Verdict is the state of a request as reported by the approval service.
type Verdict struct {
	RequestID   string
	ContextHash string
	Status      string // approved, rejected, cancelled, expired, unknown, or a status that is not final
	Comment     string

	// Of an approved request. It releases the change only while it is in force.
	Standing   Standing
	ValidFrom  time.Time // start of a pending approval
	ValidUntil time.Time // zero for none
	EndReason  string    // of a revocation
}

// NeedsApproval reports whether a change from c to after needs an approval if a policy requires
// approvals. Changes of the exempt members and to INACTIVE do not need one. Every change to a client
// that the provider has not confirmed does.
func (c Client) NeedsApproval(after Client, exempt []string) bool {
	return c.IsUnconfirmed() || slices.ContainsFunc(c.Changes(after), func(name string) bool {
		return !slices.Contains(exempt, name) && (name != "status" || after.Status != ClientInactive)
	})
}

// Ask returns the approval for the change from c to after, with the number that follows last. For
// an update, wanted is that change. from is the address of the caller of the standard API, or empty.
func (c Client) Ask(
	after Client, kind CallKind, wanted Update, policy, requester string, last int64, at time.Time, from string,
) (Approval, error) {
	title := "Register the client "
	if kind == CallUpdate {
		title = "Change the client "
	}
	a := Approval{
		ClientID: after.ID, Revision: last + 1, State: ApprovalAsking, Kind: kind, Wanted: wanted,
		Policy: policy, Requester: requester, AskedAt: at, DueAt: at,
	}
	context := c.approvalContext(after, string(kind), requester, a.Revision)
	if from != "" {
		context["address"] = from
	}
	return a.describe(title+after.Name, context)
}

// approvalMembers are the members of a client that approvers see, with their titles.
var approvalMembers = []struct {
	name, title string
	value       func(Client) any
}{
	{"clientName", "Name", func(c Client) any { return c.Name }},
	{NamesExtension, "Names in other languages", func(c Client) any { return maps.Clone(c.Extensions.Names) }},
	{"logoUri", "Logo", func(c Client) any { return c.LogoURI }},
	{"redirectUris", "Redirect URIs", func(c Client) any { return c.RedirectURIs }},
	{"userClaims", "Claims about the user", func(c Client) any { return c.UserClaims }},
	{"authContextRefs", "Levels of authentication", func(c Client) any { return c.ACRs }},
	{"grantTypes", "Grant types", func(c Client) any { return c.GrantTypes }},
	{"clientAuthMethods", "Authentication of the client", func(c Client) any { return c.AuthMethods }},
	{"keys", "Keys of the client (SHA-256 thumbprints)", func(c Client) any { return thumbprints(c) }},
	{EncKeyExtension, "Key for encryption (SHA-256 thumbprint)", func(c Client) any {
		key, _ := KeyOf([]byte(c.Extensions.EncKey)) // the zero value without a key
		return key.Thumbprint
	}},
	{MetadataExtension, "Metadata of the standard API", func(c Client) any { return json.RawMessage(cmp.Or(c.Extensions.Metadata, "{}")) }},
	{ConfigExtension, "Settings", func(c Client) any { return json.RawMessage(cmp.Or(c.Extensions.Config, "{}")) }},
}

// approvalContext returns the content of the request to approve the change from c to after. changes lists
// the members that differ, with their titles and both values. docs/approval.md describes the members.
func (c Client) approvalContext(after Client, change, requester string, revision int64) map[string]any {
	context := map[string]any{
		"change": change, "revision": revision, "requestedBy": requester, "clientId": after.ID,
		"partnerId": after.PartnerID, "policyId": after.PolicyID, "redirectHosts": redirectHosts(after.RedirectURIs),
	}
	changes := []map[string]any{}
	note := func(name, title string, before, after any) {
		if !reflect.DeepEqual(before, after) {
			changes = append(changes, map[string]any{"member": name, "title": title, "before": before, "after": after})
		}
	}
	for _, m := range approvalMembers {
		context[m.name] = withoutNil(m.value(after))
		note(m.name, m.title, withoutNil(m.value(c)), context[m.name])
	}
	if c.Status == ClientInactive {
		note("status", "Status", c.Status, after.Status)
	}
	context["changes"] = changes
	return context
}

// withoutNil returns an empty list or map for nil, which JSON writes as null.
func withoutNil(value any) any {
	switch value := value.(type) {
	case []string:
		return NotNil(value)
	case map[string]string:
		if value == nil {
			return map[string]string{}
		}
	}
	return value
}

// redirectHosts returns the hosts of redirect URIs, or the schemes of those without a host.
func redirectHosts(uris []string) []string {
	hosts := []string{}
	for _, uri := range uris {
		scheme, _, _ := strings.Cut(uri, ":")
		if host := cmp.Or(webHost(uri), scheme); !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// describe returns a with a title of at most 200 characters and a context.
func (a Approval) describe(title string, context map[string]any) (Approval, error) {
	name := []rune(title)
	text, err := json.Marshal(context)
	if err != nil {
		return Approval{}, fmt.Errorf("describe client %s for an approval: %w", a.ClientID, err)
	}
	a.Title, a.Context = string(name[:min(len(name), 200)]), string(text)
	return a, nil
}

// thumbprints returns the thumbprints of the keys of c.
func thumbprints(c Client) (list []string) {
	for _, k := range c.Keys() {
		list = append(list, k.Thumbprint)
	}
	return list
}

// IdempotencyKey is stable across repeated calls, so that they create one request. A client that is
// registered again under the same id has a different key.
func (a Approval) IdempotencyKey() string {
	if key := a.MappingKey(); key != "" {
		return key
	}
	return fmt.Sprintf("client-%s-%d-%d", a.ClientID, a.AskedAt.UnixMilli(), a.Revision)
}

// Person returns the requester at the approval service, or an empty text for the service account.
func (a Approval) Person() string {
	if strings.HasPrefix(a.Requester, OpenActor) {
		return ""
	}
	return a.Requester
}

// Open reports whether the approval can still be granted.
func (a Approval) Open() bool { return a.State == ApprovalAsking || a.State == ApprovalWaiting }

// RecordRequest records that the approval service has received the request.
func (a Approval) RecordRequest(v Verdict) Approval {
	if a.State == ApprovalAsking {
		a.State, a.RequestID, a.ContextHash = ApprovalWaiting, v.RequestID, v.ContextHash
	}
	return a
}

// ApplyVerdict applies a verdict. A verdict for another request or for other content denies the approval.
func (a Approval) ApplyVerdict(v Verdict, at time.Time) Approval {
	switch {
	case a.State != ApprovalWaiting:
		return a
	case v.Status == "unknown": // the approval service was restored: send the request again
		a.State, a.RequestID, a.DueAt = ApprovalAsking, "", at
	case v.RequestID != a.RequestID || v.ContextHash != a.ContextHash:
		a.State, a.Comment = ApprovalDenied, "the decision is for another request or other content"
	case v.Status == "approved" && v.hasBegun():
		return a.grant(v, at)
	case v.Status == "rejected" || v.Status == "cancelled" || v.Status == "expired":
		a.State, a.Comment = ApprovalDenied, cmp.Or(v.Comment, "the request was "+v.Status)
	default:
		if a.DueAt = at.Add(PollInterval); v.ValidFrom.After(at) && v.ValidFrom.Before(a.DueAt) {
			a.DueAt = v.ValidFrom
		}
	}
	return a
}

// hasBegun reports whether the validity of an approved request has begun.
func (v Verdict) hasBegun() bool {
	return slices.Contains([]Standing{StandingInForce, standingConsumed, StandingLapsed, StandingRevoked}, v.Standing)
}

// grant grants the approval, unless it has lapsed or was revoked since the decision. Its standing is
// read again immediately.
func (a Approval) grant(v Verdict, at time.Time) Approval {
	a.State, a.Standing, a.GrantedAt, a.DueAt = ApprovalGranted, StandingInForce, at, at
	if a = a.RecordStanding(v, at); a.HasEnded() {
		a.State, a.Standing = ApprovalDenied, ""
	}
	return a
}

// Withdraw withdraws an open approval. A request that the approval service may have received is
// cancelled there.
func (a Approval) Withdraw(at time.Time) Approval {
	switch {
	case !a.Open():
		return a
	case a.State == ApprovalAsking && a.Attempts == 0:
		a.State = ApprovalWithdrawn
	default:
		a.State, a.DueAt = ApprovalWithdrawing, at
	}
	return a
}

// RecordCancellation records the cancellation of the request.
func (a Approval) RecordCancellation() Approval {
	a.State = ApprovalWithdrawn
	return a
}

// Refusal returns the failure of a client whose approval was denied.
func (a Approval) Refusal() Failure {
	return Failure{Reason: NotApproved, Message: "not approved: " + a.Comment}
}

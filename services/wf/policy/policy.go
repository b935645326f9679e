// Package policy contains policies: definitions, stages, approver rules, their validation and comparison.
package policy

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/calendar"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/reason"
)

// VersionStatus is the status of a policy version.
type VersionStatus string

// The states of a version. At most one version of a key is active.
const (
	VersionDraft   VersionStatus = "draft"   // editable
	VersionActive  VersionStatus = "active"  // version of new requests
	VersionRetired VersionStatus = "retired" // formerly active; can be activated again
)

// Values returns every value.
func (VersionStatus) Values() []VersionStatus {
	return []VersionStatus{VersionDraft, VersionActive, VersionRetired}
}

// Version is one numbered definition of a policy key.
type Version struct {
	Key         string
	Number      int
	Status      VersionStatus
	Definition  Definition
	ContentHash string // of the definition's canonical form

	// The creator and the last editor, activator and retirer.
	CreatedBy, UpdatedBy, ActivatedBy, RetiredBy identity.User
	CreatedAt, UpdatedAt, ActivatedAt, RetiredAt time.Time

	// InFlight counts the open requests that follow this version.
	InFlight int

	// Rev changes with every write; it is the entity tag.
	Rev int64

	Warnings []string // of the call that wrote the definition; not stored
}

// Edit replaces the definition of a draft.
func (v Version) Edit(d Definition, hash string, by identity.User, at time.Time) (Version, error) {
	if v.Status != VersionDraft {
		return v, refusal.New(reason.WrongState, "version %d of policy %s is %s; only a draft can be changed", v.Number, v.Key, v.Status)
	}
	same, err := v.Definition.EqualExceptNote(d)
	if err != nil || hash == v.ContentHash {
		return v, err
	}
	if !same {
		v.UpdatedBy = by // the author of the content, who may not activate it with four eyes
	}
	v.Definition, v.ContentHash, v.UpdatedAt = d, hash, at
	v.Rev++
	return v, nil
}

// CheckContent rejects a version with another entity tag or content than the caller has read. Empty values are not
// compared.
func (v Version) CheckContent(tag, ifMatch, hash string) error {
	if ifMatch != "" && ifMatch != "*" && ifMatch != tag || hash != "" && hash != v.ContentHash {
		return refusal.New(reason.Forbidden,
			"version %d of policy %s has changed since it was read: its content_hash is %s; read it again", v.Number, v.Key, v.ContentHash)
	}
	return nil
}

// Activate makes the version the one of new requests. It does not retire the active version. A retired
// version can become active again.
func (v Version) Activate(by identity.User, at time.Time) Version {
	if v.Status == VersionActive {
		return v
	}
	v.Status = VersionActive
	v.ActivatedBy, v.ActivatedAt = by, at
	v.Rev++
	return v
}

// Retire deactivates an active version. Its requests continue.
func (v Version) Retire(by identity.User, at time.Time) (Version, error) {
	if v.Status != VersionActive {
		return v, refusal.New(reason.WrongState, "version %d of policy %s is %s, not active", v.Number, v.Key, v.Status)
	}
	v.Status = VersionRetired
	v.RetiredBy, v.RetiredAt = by, at
	v.Rev++
	return v, nil
}

// CheckDelete rejects the deletion of a version that was ever active.
func (v Version) CheckDelete() error {
	if v.Status != VersionDraft {
		return refusal.New(reason.WrongState, "version %d of policy %s is %s; only a draft can be deleted", v.Number, v.Key, v.Status)
	}
	return nil
}

// Definition is the document of a policy: the body of POST and PUT /v1/wf/policies, and the target of
// PATCH.
type Definition struct {
	Name            string            `json:"name" minLength:"1" maxLength:"200" doc:"Display name."`
	NameI18n        Texts             `json:"name_i18n,omitempty" maxProperties:"20" doc:"The name in other languages, by language tag (BCP 47), for pages and mails."`
	Description     string            `json:"description,omitempty" maxLength:"4000" doc:"Description."`
	DescriptionI18n Texts             `json:"description_i18n,omitempty" maxProperties:"20" doc:"The description in other languages, by language tag."`
	ArtifactType    string            `json:"artifact_type,omitempty" maxLength:"128" doc:"Required artifact_type of requests; any when absent."`
	ContextSchema   json.RawMessage   `json:"context_schema,omitempty" doc:"JSON Schema 2020-12 of the request's context, at most 64 KiB, without remote references."`
	Settings        Settings          `json:"settings,omitzero" doc:"Rules of the whole request."`
	Stages          []Stage           `json:"stages" doc:"0 to 20 stages, in running order."`
	Labels          map[string]string `json:"labels,omitempty" maxProperties:"20" doc:"Labels for filters; keys of at most 64 bytes, values of at most 256."`
	ChangeNote      string            `json:"change_note,omitempty" maxLength:"1000" doc:"Note about the changes of this version."`

	Programs *Programs `json:"-"` // see Compiled
}

// Settings are the rules of a policy for the whole request.
type Settings struct {
	Language            string                `json:"language,omitempty" maxLength:"35" doc:"Language tag (BCP 47) of the texts of the policy. Pages in another language mark them; unknown when absent."`
	RequesterMayApprove bool                  `json:"requester_may_approve,omitempty" doc:"Applies to the requester and the submitter."`
	RepeatApprover      RepeatApprover        `json:"repeat_approver,omitempty" doc:"Treatment of approvers of earlier stages; allow when absent."`
	Submitters          []Rule                `json:"submitters,omitempty" maxItems:"50" doc:"Users permitted to create requests; any authenticated caller when absent."`
	OnBehalf            OnBehalf              `json:"on_behalf,omitempty" doc:"Callers permitted to create requests for another requester; admin when absent."`
	AutoApproveWhen     string                `json:"auto_approve_when,omitempty" doc:"CEL, evaluated at the start. A failed expression does not approve."`
	AutoRejectWhen      string                `json:"auto_reject_when,omitempty" doc:"CEL, evaluated at the start, before auto_approve_when."`
	OnNoStages          OnNoStages            `json:"on_no_stages,omitempty" doc:"Outcome of a request without an applicable stage; refuse when absent."`
	ExpiresIn           Lifetime              `json:"expires_in,omitempty" nullable:"true" doc:"ISO 8601 duration; P30D when absent, null for never."`
	OneOpenPerArtifact  *bool                 `json:"one_open_per_artifact,omitempty" doc:"One open request for each policy and artifact; true when absent."`
	MaxRevisions        *int                  `json:"max_revisions,omitempty" doc:"Maximum number of requests for changes, 0 to 20; 5 when absent."`
	OnResubmit          OnResubmit            `json:"on_resubmit,omitempty" doc:"restart when absent. resume applies only to an unchanged context."`
	Exclude             []Rule                `json:"exclude,omitempty" maxItems:"20" doc:"Users that may not approve any stage, whatever its rules yield."`
	FallbackApprovers   []Rule                `json:"fallback_approvers,omitempty" maxItems:"50" doc:"Additional approvers of an understaffed stage with on_empty fallback."`
	Calendar            *calendar.WorkingTime `json:"calendar,omitempty" doc:"Working time of the durations of deadlines; elapsed time when absent."`
	Delegation          DelegationSettings    `json:"delegation,omitzero" doc:"Delegations of approvers."`
	MembershipRecheck   MembershipRecheck     `json:"membership_recheck,omitempty" doc:"Recheck of an approver's membership in a directory or resolver when they claim, decide or reassign; cached when absent."`
	RequireComment      RequireComment        `json:"require_comment,omitzero" doc:"Actions with a required comment."`
	AdminOverride       bool                  `json:"admin_override,omitempty" doc:"WF_ADMIN may decide a stage without being the assignee, with a comment of at least 10 characters."`
	Checks              []Check               `json:"checks,omitempty" maxItems:"20" doc:"Rules over several members of the content, checked at creation and resubmission."`
	Redact              []string              `json:"redact,omitempty" maxItems:"50" doc:"JSON pointers (RFC 6901) into the context. The values are hidden from webhooks and from WF_VIEWER without a part in the request."`
	Summary             []string              `json:"summary,omitempty" maxItems:"3" doc:"JSON pointers (RFC 6901) to values of the context that lists of tasks show."`
	Validity            *Validity             `json:"validity,omitempty" doc:"Limits the time that an approval is in force."`
	SingleUse           bool                  `json:"single_use,omitempty" doc:"An approval may be consumed once."`
	Consumers           *Callers              `json:"consumers,omitempty" doc:"Callers permitted to read the request and to consume its approval; the requester and the submitter when absent. Only with single_use."`
	Owners              *Callers              `json:"owners,omitempty" doc:"Callers permitted to change and activate the policy except its owners, and to manage its requests; WF_ADMIN alone when absent."`
}

// IsZero reports whether the canonical form omits the settings: an empty list equals an absent one.
func (s Settings) IsZero() bool {
	raw, err := json.Marshal(s)
	return err == nil && string(raw) == "{}"
}

// RepeatApprover is the treatment of an approver of several stages.
type RepeatApprover string

// The treatments of an approver of an earlier stage.
const (
	RepeatAllow       RepeatApprover = "allow"
	RepeatExclude     RepeatApprover = "exclude"
	RepeatAutoApprove RepeatApprover = "auto_approve" // their task is decided automatically
)

// Values returns every value.
func (RepeatApprover) Values() []RepeatApprover {
	return []RepeatApprover{RepeatAllow, RepeatExclude, RepeatAutoApprove}
}

// OnBehalf is the permission to create requests for another requester.
type OnBehalf string

// The permissions for requests on behalf of others.
const (
	OnBehalfNone       OnBehalf = "none"
	OnBehalfAdmin      OnBehalf = "admin"
	OnBehalfSubmitters OnBehalf = "submitters"
)

// Values returns every value.
func (OnBehalf) Values() []OnBehalf {
	return []OnBehalf{OnBehalfNone, OnBehalfAdmin, OnBehalfSubmitters}
}

// OnNoStages is the outcome of a request without an applicable stage.
type OnNoStages string

// OnNoStagesRefuse is the default: no request is approved without a decision.
const (
	OnNoStagesRefuse  OnNoStages = "refuse"
	OnNoStagesApprove OnNoStages = "approve"
	OnNoStagesReject  OnNoStages = "reject"
)

// Values returns every value.
func (OnNoStages) Values() []OnNoStages {
	return []OnNoStages{OnNoStagesRefuse, OnNoStagesApprove, OnNoStagesReject}
}

// OnResubmit is the start of a resubmitted request.
type OnResubmit string

// OnResubmitRestart repeats all stages. OnResubmitResume keeps approved stages if the context is equal.
const (
	OnResubmitRestart OnResubmit = "restart"
	OnResubmitResume  OnResubmit = "resume"
)

// Values returns every value.
func (OnResubmit) Values() []OnResubmit {
	return []OnResubmit{OnResubmitRestart, OnResubmitResume}
}

// MembershipRecheck is the recheck of an approver's membership at an action.
type MembershipRecheck string

// RecheckNone uses the membership at the start of the stage. RecheckCached, the default, queries answers
// older than five minutes and falls back to the start without an answer. RecheckStrict queries each time
// and refuses without an answer.
const (
	RecheckNone   MembershipRecheck = "none"
	RecheckCached MembershipRecheck = "cached"
	RecheckStrict MembershipRecheck = "strict"
)

// Values returns every value.
func (MembershipRecheck) Values() []MembershipRecheck {
	return []MembershipRecheck{RecheckNone, RecheckCached, RecheckStrict}
}

// DelegationSettings permit delegations.
type DelegationSettings struct {
	Allowed *bool `json:"allowed,omitempty" doc:"Delegations give rights in the policy; true when absent."`
}

// RequireComment lists the actions with a required comment.
type RequireComment struct {
	Approve        bool `json:"approve,omitempty" doc:"Approval requires a comment."`
	Reject         bool `json:"reject,omitempty" doc:"Rejection requires a comment."`
	Abstain        bool `json:"abstain,omitempty" doc:"Abstention requires a comment."`
	RequestChanges bool `json:"request_changes,omitempty" doc:"A request for changes requires a comment."`
	Reassign       bool `json:"reassign,omitempty" doc:"Reassignment requires a reason."`
}

const defaultLifetime Duration = "P30D"

const defaultRevisions = 5

// OneOpen reports whether an artifact may have one open request only.
func (d Definition) OneOpen(artifactID string) bool {
	return artifactID != "" && (d.Settings.OneOpenPerArtifact == nil || *d.Settings.OneOpenPerArtifact)
}

func (s Settings) RevisionLimit() int {
	if s.MaxRevisions == nil {
		return defaultRevisions
	}
	return *s.MaxRevisions
}

// ExpiresAt returns the expiry of a request that starts at a time; nil is never.
func (s Settings) ExpiresAt(now time.Time) (*time.Time, error) {
	return s.ExpiresIn.End(now, defaultLifetime)
}

// Delegable reports whether delegations give rights in the stage.
func (d Definition) Delegable(stage Stage) bool {
	allowed := d.Settings.Delegation.Allowed
	return (allowed == nil || *allowed) && stage.AllowsDelegation()
}

// ChecksMembership reports whether approvers of the policy can lose their membership.
func (d Definition) ChecksMembership() bool {
	return d.Settings.MembershipRecheck != RecheckNone && slices.ContainsFunc(d.Stages, func(s Stage) bool {
		return slices.ContainsFunc(slices.Concat(s.Approvers, d.Settings.FallbackApprovers), Rule.canChange) ||
			s.Deadline != nil && slices.ContainsFunc(s.Deadline.EscalateTo, Rule.canChange)
	})
}

// Stage returns the stage with the key.
func (d Definition) Stage(key string) (Stage, bool) {
	i := slices.IndexFunc(d.Stages, func(s Stage) bool { return s.Key == key })
	if i < 0 {
		return Stage{}, false
	}
	return d.Stages[i], true
}

// Groups returns the stages in running order, with the stages of a parallel group together.
func (d Definition) Groups() [][]Stage {
	var groups [][]Stage
	for i, s := range d.Stages {
		if i > 0 && s.ParallelGroup != "" && s.ParallelGroup == d.Stages[i-1].ParallelGroup {
			last := len(groups) - 1
			groups[last] = append(groups[last], s)
			continue
		}
		groups = append(groups, []Stage{s})
	}
	return groups
}

// Capabilities lists the configured services that a definition can use.
type Capabilities struct {
	Directory bool // a directory answers usernames, roles, groups and managers
	Resolvers bool // a resolver answers http rules
}

// Finding is a result of Validate: a problem, a warning, or a part to be checked by the caller. Exactly one
// member besides Pointer is set.
type Finding struct {
	Pointer string // JSON pointer (RFC 6901) to the member

	Problem    string      // the violated rule
	Warning    string      // a possible mistake
	Expression *Expression // to be compiled
	Schema     []byte      // to be compiled as a JSON Schema
	HTTPRule   *Rule       // to be accepted by the resolvers
}

// Expression is a CEL expression of a definition.
type Expression struct {
	CEL    string
	Yields Yield
	Absent []string // variables without a value when it is evaluated
}

// changing are the variables that change while the content of a request stays the same.
var changing = []string{"stages", "now"}

// validation collects the findings of a definition.
type validation struct {
	Capabilities
	anySubmitter bool // settings.submitters is absent
	reads        func(source string, variables ...string) bool
	findings     []Finding
}

func (v *validation) add(pointer, format string, args ...any) {
	v.findings = append(v.findings, Finding{Pointer: pointer, Problem: fmt.Sprintf(format, args...)})
}

// refuse adds a problem of a member if wrong is true.
func (v *validation) refuse(wrong bool, pointer, format string, args ...any) {
	if wrong {
		v.add(pointer, format, args...)
	}
}

// requireRange rejects a number outside its bounds; zero is absent.
func (v *validation) requireRange(pointer string, n, least, most int) {
	v.refuse(n != 0 && (n < least || n > most), pointer, "must be between %d and %d", least, most)
}

func (v *validation) warn(pointer, format string, args ...any) {
	v.findings = append(v.findings, Finding{Pointer: pointer, Warning: fmt.Sprintf(format, args...)})
}

// condition checks an optional expression.
func (v *validation) condition(pointer, cel string) {
	if cel != "" {
		v.expression(pointer, Expression{CEL: cel, Yields: YieldsBool})
	}
}

// overContent checks an optional expression that is evaluated when the content of the request is fixed.
func (v *validation) overContent(pointer, cel string, yields Yield) {
	if cel != "" {
		v.expression(pointer, Expression{cel, yields, changing})
	}
}

func (v *validation) expression(pointer string, e Expression) {
	switch {
	case strings.TrimSpace(e.CEL) == "":
		v.add(pointer, "must not be empty")
	case len(e.CEL) > maxExpr:
		v.add(pointer, "must be at most %d bytes", maxExpr)
	default:
		v.findings = append(v.findings, Finding{Pointer: pointer, Expression: &e})
	}
}

func (v *validation) duration(pointer string, d Duration) {
	if _, err := d.Parse(); err != nil {
		v.add(pointer, "%s", err)
	}
}

func (v *validation) schema(pointer string, document []byte) {
	switch {
	case len(document) == 0:
	case len(document) > maxSchema:
		v.add(pointer, "must be at most %d KiB", maxSchema>>10)
	default:
		v.findings = append(v.findings, Finding{Pointer: pointer, Schema: document})
	}
}

// Validate returns the findings of d in document order. The API's schema checks types, enums and unknown
// members. Stored definitions need not pass these checks.
func (d Definition) Validate(has Capabilities) []Finding {
	v := &validation{Capabilities: has, anySubmitter: d.Settings.Submitters == nil}
	v.reads = func(source string, variables ...string) bool {
		return d.Compiled().Programs.Reads(source, variables...)
	}
	v.label("/name", d.Name)
	v.texts("/name_i18n", d.NameI18n, true)
	v.texts("/description_i18n", d.DescriptionI18n, false)
	v.schema("/context_schema", d.ContextSchema)
	d.Settings.validate(v)
	d.validateSummary(v)
	v.refuse(len(d.Stages) > maxStages, "/stages", "must contain at most %d stages", maxStages)
	seen, groups := map[string]bool{}, map[string]bool{}
	var earlier, group []string // keys of the earlier stages, and of the current group
	for i, s := range d.Stages {
		pointer := elementPointer("/stages", i)
		if i > 0 && (s.ParallelGroup == "" || s.ParallelGroup != d.Stages[i-1].ParallelGroup) {
			earlier, group = append(earlier, group...), nil
			again := s.ParallelGroup != "" && groups[s.ParallelGroup]
			v.refuse(again, pointer+"/parallel_group", "the stages of a group must be adjacent")
		}
		groups[s.ParallelGroup] = true
		v.refuse(seen[s.Key], pointer+"/key", "another stage has the same key")
		seen[s.Key] = true
		group = append(group, s.Key)
		v.label(pointer+"/name", s.Name)
		v.texts(pointer+"/name_i18n", s.NameI18n, true)
		s.validate(v, d, pointer, earlier)
	}
	for key, value := range d.Labels {
		if len(key) > 64 || len(value) > 256 {
			v.add("/labels", "keys must have at most 64 bytes and values at most 256")
			break
		}
	}
	return v.findings
}

func (s Settings) validate(v *validation) {
	v.refuse(s.Language != "" && !languageTag.MatchString(s.Language), "/settings/language", mustBeTag)
	v.refuse(s.Submitters != nil && len(s.Submitters) == 0, "/settings/submitters",
		"must not be empty; omit it to permit all callers")
	v.rules("/settings/submitters", s.Submitters, nil, "")
	v.condition("/settings/auto_approve_when", s.AutoApproveWhen)
	v.condition("/settings/auto_reject_when", s.AutoRejectWhen)
	if s.ExpiresIn != "" && s.ExpiresIn != Never {
		v.duration("/settings/expires_in", Duration(s.ExpiresIn))
	}
	v.requireRange("/settings/max_revisions", s.RevisionLimit(), 0, 20)
	v.rules("/settings/fallback_approvers", s.FallbackApprovers, nil, "")
	v.exclude("/settings/exclude", s.Exclude, nil)
	if s.Calendar != nil {
		_, faults := s.Calendar.Parse()
		for _, fault := range faults {
			v.add("/settings/calendar"+fault.Pointer, "%s", fault.Message)
		}
	}
	for i, check := range s.Checks {
		check.validate(v, elementPointer("/settings/checks", i))
	}
	for i, pointer := range s.Redact {
		if _, err := parsePointer(pointer); err != nil {
			v.add(elementPointer("/settings/redact", i), "%s", err)
		}
	}
	s.validateStanding(v)
}

// name checks a required name.
func (v *validation) name(pointer, s string, most int) {
	switch {
	case s == "":
		v.add(pointer, "must not be empty")
	case len(s) > most:
		v.add(pointer, "must be at most %d bytes", most)
	default:
		v.label(pointer, s)
	}
}

// label refuses names that are not plain text.
func (v *validation) label(pointer, s string) {
	if err := identity.CheckLabel(s); err != nil {
		v.add(pointer, "%s", err)
	}
}

var policyKey = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// ValidPolicyKey reports whether key is a valid policy key.
func ValidPolicyKey(key string) bool { return policyKey.MatchString(key) }

func elementPointer(pointer string, i int) string { return fmt.Sprintf("%s/%d", pointer, i) }

package api

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/view"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// policyHandlers serves the operations on policies.
type policyHandlers struct{ *API }

func (h policyHandlers) mount() {
	register(h.API, operation{"createPolicy", post, "/v1/wf/policies", admins, 201, []error{reason.PolicyExists},
		"Create a policy with its first version, a draft"}, h.createPolicy)
	register(h.API, operation{"listPolicies", get, "/v1/wf/policies", h.orOwners(viewers), 200, nil,
		"List policies"}, h.listPolicies)
	register(h.API, operation{"listUsablePolicies", get, "/v1/wf/me/policies", anyone, 200, nil,
		"List policies that the caller may use"}, h.listUsablePolicies)
	register(h.API, operation{"getPolicy", get, "/v1/wf/policies/{key}", h.orOwners(viewers), 200, nil,
		"Read the active version, or the latest when none is active"}, h.getPolicy)
	register(h.API, operation{"addVersion", put, "/v1/wf/policies/{key}", h.orOwners(admins), 201,
		[]error{reason.BadDefinition}, "Add a version to a policy, as a draft"}, h.addVersion)
	register(h.API, operation{"listVersions", get, "/v1/wf/policies/{key}/versions", h.orOwners(viewers), 200, nil,
		"List the versions of a policy"}, h.listVersions)
	register(h.API, operation{"getVersion", get, "/v1/wf/policies/{key}/versions/{v}", h.orOwners(viewers), 200, nil,
		"Read a version"}, h.getVersion)
	register(h.API, operation{"updateVersion", patch, "/v1/wf/policies/{key}/versions/{v}", h.orOwners(admins), 200,
		[]error{reason.WrongState, reason.BadDefinition},
		"Update a draft by JSON merge patch (RFC 7396)"}, h.updateVersion)
	register(h.API, operation{"deleteVersion", del, "/v1/wf/policies/{key}/versions/{v}", h.orOwners(admins), 200,
		[]error{reason.WrongState}, "Delete a draft; its number is not used again"}, h.deleteVersion)
	register(h.API, operation{"activateVersion", post, "/v1/wf/policies/{key}/versions/{v}/activate", h.orOwners(admins), 200,
		nil, "Activate a version"}, h.activateVersion)
	register(h.API, operation{"deactivateVersion", post, "/v1/wf/policies/{key}/versions/{v}/deactivate", h.orOwners(admins), 200,
		[]error{reason.WrongState}, "Deactivate a version"}, h.deactivateVersion)
	register(h.API, operation{"simulateVersion", post, "/v1/wf/policies/{key}/versions/{v}/simulate", h.orOwners(viewers), 200,
		[]error{reason.ResolverFailed}, "Simulate a request"}, h.simulateVersion)
	register(h.API, operation{"compareVersions", get, "/v1/wf/policies/{key}/versions/{v}/diff", h.orOwners(viewers), 200,
		nil, "Compare a version with another one"}, h.compareVersions)
	document := sync.OnceValues(h.PolicySchema)
	registerDocument(h.API, operation{"getPolicySchema", get, policySchemaPath, web.Access{}, 200, nil,
		"Read the JSON Schema of policy files"}, "JSON Schema 2020-12", func(context.Context) ([]byte, error) { return document() })
}

// policyView is the API representation of a policy version: its definition and metadata.
type policyView struct {
	PolicyKey string `json:"policy_key" doc:"Names the policy for good."`
	policy.Definition
	Version     int                  `json:"version" doc:"Number of the version, from 1."`
	Status      policy.VersionStatus `json:"status" doc:"Status of the version."`
	ContentHash string               `json:"content_hash" doc:"Hash of the definition."`
	CreatedBy   identity.User        `json:"created_by" doc:"Creator of the version."`
	CreatedAt   identity.Stamp       `json:"created_at" doc:"When it was made."`
	UpdatedBy   identity.User        `json:"updated_by" doc:"User of the last change."`
	UpdatedAt   identity.Stamp       `json:"updated_at" doc:"When it last changed."`
	ActivatedBy *identity.User       `json:"activated_by,omitempty" doc:"User of the last activation."`
	ActivatedAt *identity.Stamp      `json:"activated_at,omitempty" doc:"When it was last activated."`
	RetiredBy   *identity.User       `json:"retired_by,omitempty" doc:"The deactivating or replacing user."`
	RetiredAt   *identity.Stamp      `json:"retired_at,omitempty" doc:"When it was taken out of use, or replaced."`
	InFlight    int                  `json:"in_flight" doc:"Open requests under this version."`
	ETag        string               `json:"etag" doc:"Entity tag, for If-Match."`
	Warnings    []string             `json:"warnings,omitempty" doc:"Possible mistakes of the call."`
}

func viewVersion(v policy.Version) policyView {
	return policyView{
		PolicyKey: v.Key, Definition: v.Definition, Version: v.Number, Status: v.Status, ContentHash: v.ContentHash,
		CreatedBy: v.CreatedBy, CreatedAt: identity.Stamp{Time: v.CreatedAt}, UpdatedBy: v.UpdatedBy, UpdatedAt: identity.Stamp{Time: v.UpdatedAt},
		ActivatedBy: view.OrNull(v.ActivatedBy), ActivatedAt: identity.StampOf(v.ActivatedAt),
		RetiredBy: view.OrNull(v.RetiredBy), RetiredAt: identity.StampOf(v.RetiredAt),
		InFlight: v.InFlight, ETag: view.ETag(v.Rev), Warnings: v.Warnings,
	}
}

func versionReply(v policy.Version, err error) (result[policyView], error) {
	return result[policyView]{Value: viewVersion(v), ETag: view.ETag(v.Rev)}, err
}

// newVersionReply is versionReply for a new version.
func newVersionReply(v policy.Version, err error) (result[policyView], error) {
	r, err := versionReply(v, err)
	r.Location = fmt.Sprintf("/v1/wf/policies/%s/versions/%d", v.Key, v.Number)
	return r, err
}

type createPolicyInput struct {
	Body PolicyBody
}

func (h policyHandlers) createPolicy(ctx context.Context, in *createPolicyInput) (result[policyView], error) {
	return newVersionReply(h.engine.Policies.CreatePolicy(ctx, actorOf(ctx), in.Body.PolicyKey, withoutNulls(in.Body.Definition)))
}

type addVersionInput struct {
	PolicyPath
	UnlessUnchanged bool `query:"unless_unchanged" doc:"Answer 200 with the newest version, and add none, when they differ in change_note at most."`
	Body            struct {
		PolicyKey *string `json:"policy_key,omitempty" maxLength:"128" doc:"Optional; must equal the key in the path."`
		policy.Definition
	}
}

// otherStatus is the status if no version is added.
func (*addVersionInput) otherStatus() int { return http.StatusOK }

func (h policyHandlers) addVersion(ctx context.Context, in *addVersionInput) (result[policyView], error) {
	v, added, err := h.engine.Policies.AddVersion(ctx, actorOf(ctx), in.Key, engine.NewVersion{
		Definition: withoutNulls(in.Body.Definition), Problems: compareAddress(in.Body.PolicyKey, in.Key, nil, 0), UnlessUnchanged: in.UnlessUnchanged,
	})
	if added {
		return newVersionReply(v, err)
	}
	r, err := versionReply(v, err)
	r.Status = in.otherStatus()
	return r, err
}

// withoutNulls treats null as absent in raw members. Decoding does so for the others.
func withoutNulls(d policy.Definition) policy.Definition {
	drop := func(raw *json.RawMessage) {
		if string(*raw) == "null" {
			*raw = nil
		}
	}
	rules := func(list []policy.Rule) {
		for i := range list {
			drop(&list[i].Params)
		}
	}
	drop(&d.ContextSchema)
	rules(d.Settings.Submitters)
	rules(d.Settings.FallbackApprovers)
	rules(d.Settings.Exclude)
	for i := range d.Stages {
		drop(&d.Stages[i].DecisionSchema)
		rules(d.Stages[i].Approvers)
		rules(d.Stages[i].Exclude)
		rules(d.Stages[i].Observers)
		if d.Stages[i].Deadline != nil {
			rules(d.Stages[i].Deadline.EscalateTo)
		}
	}
	return d
}

// compareAddress returns the differences of key and version between body and path.
func compareAddress(bodyKey *string, key string, bodyVersion *int, version int) []refusal.Problem {
	var problems []refusal.Problem
	if bodyKey != nil && *bodyKey != key {
		problems = append(problems, refusal.Problem{Where: "/policy_key", Message: "differs from the key in the path"})
	}
	if bodyVersion != nil && *bodyVersion != version {
		problems = append(problems, refusal.Problem{Where: "/version", Message: "differs from the version in the path"})
	}
	return problems
}

// definitionPatch is a JSON merge patch of a definition (RFC 7396). The members are decoded, since the schema
// cannot reject an integer written as 1.0; apply reads the body.
type definitionPatch struct {
	PolicyKey *string `json:"policy_key"`
	Version   *int    `json:"version"`
	policy.Definition
}

// Schema returns the definition's schema with every member optional and nullable, except the
// required ones. Null removes a member. Arrays are replaced as a whole, so their items keep their
// schema.
func (definitionPatch) Schema(r huma.Registry) *huma.Schema {
	body := relax(r, r.Schema(reflect.TypeFor[policy.Definition](), true, ""))
	body.Nullable = false
	body.Description = "JSON merge patch (RFC 7396) of the definition; arrays are replaced whole."
	body.Properties["policy_key"] = &huma.Schema{Type: huma.TypeString, Nullable: true, Description: "Optional; must equal the key in the path."}
	body.Properties["version"] = &huma.Schema{Type: huma.TypeInteger, Nullable: true, Description: "Optional; must equal the version in the path."}
	body.Properties["settings"].Properties["expires_in"].Description = "ISO 8601 duration; null restores the default. Only POST and PUT can say that requests never expire."
	body.PrecomputeMessages()
	return body
}

// relax returns a copy of s without required members. Members that were optional become nullable.
func relax(r huma.Registry, s *huma.Schema) *huma.Schema {
	if s.Ref != "" {
		s = r.SchemaFromRef(s.Ref)
	}
	clone := *s
	clone.Required, clone.Nullable = nil, s.Type != "" // without a type, null is allowed already
	if len(s.Enum) > 0 {
		clone.Enum = append(slices.Clone(s.Enum), null{})
	}
	if s.Properties != nil {
		clone.Properties = make(map[string]*huma.Schema, len(s.Properties))
		for name, member := range s.Properties {
			clone.Properties[name] = relax(r, member)
			if slices.Contains(s.Required, name) {
				clone.Properties[name].Nullable = false
			}
		}
	}
	if values, ok := s.AdditionalProperties.(*huma.Schema); ok {
		clone.AdditionalProperties = relax(r, values)
	}
	return &clone
}

// null is the JSON null in an enumeration, with a name for messages.
type null struct{}

func (null) String() string               { return "null" }
func (null) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

type updateVersionInput struct {
	Versioned
	Guarded
	Body definitionPatch
}

// Resolve rejects the removal of required members. huma treats null as absent for optional members.
func (in *updateVersionInput) Resolve(ctx huma.Context) []error {
	var body map[string]json.RawMessage
	_ = json.Unmarshal(web.Body(ctx.Context()), &body) // decoded before
	var missing []error
	for _, name := range []string{"name", "stages"} {
		if string(body[name]) == "null" {
			missing = append(missing, web.Detail{Type: "missing", Loc: []any{"body", name}, Msg: "Field required"})
		}
	}
	return missing
}

func (h policyHandlers) updateVersion(ctx context.Context, in *updateVersionInput) (result[policyView], error) {
	return versionReply(h.engine.Policies.UpdateVersion(ctx, actorOf(ctx), in.Key, in.number, in.IfMatch,
		func(d policy.Definition) (policy.Definition, []refusal.Problem, error) {
			after, err := apply(web.Body(ctx), d)
			return after, compareAddress(in.Body.PolicyKey, in.Key, in.Body.Version, in.number), err
		}))
}

// merge returns a JSON value with a merge patch applied (RFC 7396).
func merge(value, patch json.RawMessage) json.RawMessage {
	var before, change map[string]json.RawMessage
	if json.Unmarshal(patch, &change) != nil || change == nil {
		return patch // no object
	}
	_ = json.Unmarshal(value, &before) // only the members of an object are kept
	after := map[string]json.RawMessage{}
	maps.Copy(after, before)
	for name, member := range change {
		if string(member) == "null" {
			delete(after, name)
		} else {
			after[name] = merge(after[name], member)
		}
	}
	merged, _ := json.Marshal(after) // of valid values
	return merged
}

// apply merges a patch into d.
func apply(patch []byte, d policy.Definition) (policy.Definition, error) {
	before, err := json.Marshal(d)
	if err != nil {
		return d, fmt.Errorf("encode definition: %w", err)
	}
	var after policy.Definition
	if err := json.Unmarshal(merge(before, patch), &after); err != nil {
		return d, fmt.Errorf("read merged definition: %w", err)
	}
	if len(after.Labels) > maxLabels { // the limit in the schema of a whole definition
		return d, refusal.At(reason.TooLong, "/labels", "Object should have at most %d members with those that are there", maxLabels)
	}
	return withoutNulls(after), nil
}

func (h policyHandlers) deleteVersion(ctx context.Context, in *versionInput) (result[policyView], error) {
	v, err := h.engine.Policies.DeleteVersion(ctx, actorOf(ctx), in.Key, in.number, in.IfMatch)
	return result[policyView]{Value: viewVersion(v)}, err
}

type activateVersionInput struct {
	Versioned
	IfMatch string `header:"If-Match" doc:"Entity tag that the version must still have; another one is refused (403)."`
	Body    *struct {
		ContentHash string `json:"content_hash,omitempty" maxLength:"200" doc:"content_hash that the version must still have; another one is refused (403)."`
	}
}

func (h policyHandlers) activateVersion(ctx context.Context, in *activateVersionInput) (result[policyView], error) {
	seen := bodyOrZero(in.Body).ContentHash
	return versionReply(h.engine.Policies.ActivateVersion(ctx, actorOf(ctx), in.Key, in.number, in.IfMatch, seen))
}

func (h policyHandlers) deactivateVersion(ctx context.Context, in *versionInput) (result[policyView], error) {
	return versionReply(h.engine.Policies.DeactivateVersion(ctx, actorOf(ctx), in.Key, in.number, in.IfMatch))
}

func (h policyHandlers) getPolicy(ctx context.Context, in *PolicyPath) (result[policyView], error) {
	return versionReply(h.engine.Policies.GetPolicy(ctx, in.Key))
}

func (h policyHandlers) getVersion(ctx context.Context, in *Versioned) (result[policyView], error) {
	return versionReply(h.engine.Policies.GetVersion(ctx, in.Key, in.number))
}

type listVersionsInput struct {
	PolicyPath
	Paged
}

func (h policyHandlers) listVersions(ctx context.Context, in *listVersionsInput) (result[Page[policyView]], error) {
	if _, err := h.getPolicy(ctx, &in.PolicyPath); err != nil {
		return result[Page[policyView]]{}, err
	}
	versions, next, err := h.engine.Policies.ListVersions(ctx, in.Key, in.page())
	return listReply(versions, next, err, viewVersion)
}

// policySummaryView is a policy in a list, with its active and latest version.
type policySummaryView struct {
	PolicyKey     string      `json:"policy_key" doc:"Names the policy for good."`
	ActiveVersion *int        `json:"active_version" nullable:"true" doc:"Number of the active version; null when none is active."`
	LatestVersion int         `json:"latest_version" doc:"Number of the newest version."`
	Active        *policyView `json:"active,omitempty" doc:"The active version; absent when none is active."`
	Latest        policyView  `json:"latest" doc:"The newest version."`
}

type listPoliciesInput struct {
	Paged
	Labelled
	Status []policy.VersionStatus `query:"status" doc:"Policies that have a version in one of these states."`
	Q      string                 `query:"q" maxLength:"200" doc:"Part of the key or the name."`
}

func (h policyHandlers) listPolicies(ctx context.Context, in *listPoliciesInput) (result[Page[policySummaryView]], error) {
	policies, next, err := h.engine.Policies.ListPolicies(ctx, actorOf(ctx),
		wf.PolicyFilter{Status: in.Status, Q: in.Q, Labels: in.labels}, in.page())
	return listReply(policies, next, err, func(p wf.Policy) policySummaryView {
		view := policySummaryView{PolicyKey: p.Latest.Key, LatestVersion: p.Latest.Number, Latest: viewVersion(p.Latest)}
		if p.Active != nil {
			active := viewVersion(*p.Active)
			view.Active, view.ActiveVersion = &active, &p.Active.Number
		}
		return view
	})
}

// Simulation input and output.

type simulateInput struct {
	Versioned
	Body struct {
		Draft
		At            time.Time          `json:"at,omitzero" doc:"As if it were this time; now when absent."`
		Play          []engine.PlayEntry `json:"play,omitempty" maxItems:"100" doc:"Decisions, moves of the clock, consumption and revocation to play, in this order."`
		FromRequestID string             `json:"from_request_id,omitempty" format:"uuid" doc:"Take context, artifact and requester of a real request; WF_ADMIN, or an owner of the policy for its own requests."`

		TolerateUpstream bool `json:"tolerate_upstream,omitempty" doc:"Report a directory or a resolver that does not respond among the problems, instead of 503; false when absent."`
	}
}

type simulationView struct {
	PolicyKey     string               `json:"policy_key" doc:"Key of the policy."`
	PolicyVersion int                  `json:"policy_version" doc:"Version of the policy."`
	Outcome       engine.Outcome       `json:"outcome" doc:"How the creation of the request would end. would_approve, would_reject: without a decision by a person, because no stage applies or the first stage rejects."`
	Problems      []problemView        `json:"problems" doc:"Reasons of a refusal, obstacles to stages, and errors of the definition."`
	Stages        []simulatedStageView `json:"stages" doc:"The stages that the request would go through."`
	view.Validity
	Play     []playedView `json:"play" doc:"Outcome of each entry of play, in order."`
	Warnings []string     `json:"warnings" doc:"Possible failures and mistakes."`
}

type problemView struct {
	Pointer string `json:"pointer,omitempty" doc:"JSON pointer into the definition; absent for the request as a whole."`
	Message string `json:"message" doc:"Description of the problem."`
}

type simulatedStageView struct {
	ForecastStage
	Status     wf.StageStatus       `json:"status" doc:"Status of the stage at the creation, before the entries of play."`
	When       *engine.When         `json:"when,omitempty" doc:"The stage's condition, and its value."`
	Skip       *wf.Skip             `json:"skip,omitempty" doc:"Why the stage would be skipped."`
	Approvers  []view.Approver      `json:"approvers" doc:"Eligible approvers."`
	Excluded   []approver.Exclusion `json:"excluded" doc:"Users that a rule yields and that may not approve."`
	Observers  []identity.User      `json:"observers" doc:"Observers of the stage."`
	EscalateTo []identity.User      `json:"escalate_to" doc:"Users whom the deadline of the stage would add now."`
	Quorum     view.Quorum          `json:"quorum" doc:"Approvals that the stage needs and has."`
}

type playedView struct {
	Entry         engine.PlayEntry `json:"entry" doc:"The entry as it was given."`
	StageStatus   wf.StageStatus   `json:"stage_status,omitempty" doc:"Status of the stage after it; absent when the request has no such stage."`
	RequestStatus wf.RequestStatus `json:"request_status,omitempty" doc:"Status of the request after it; absent when it would not start."`
	Standing      wf.Standing      `json:"standing,omitempty" doc:"Standing of the approval after it; absent when there is none."`
	Problem       string           `json:"problem,omitempty" doc:"Why the entry would be refused."`
}

func (in *simulateInput) checkInput() error {
	b := &in.Body
	if err := b.canonicalise(); err != nil {
		return err
	}
	if err := identity.CheckUserID(b.Requester); b.Requester != "" && err != nil {
		return refusal.At(reason.BadInput, "/requester", "%s", err)
	}
	return engine.CheckPlay(b.Play)
}

func (h policyHandlers) simulateVersion(ctx context.Context, in *simulateInput) (result[simulationView], error) {
	b := in.Body
	sim, err := h.engine.Policies.SimulateVersion(ctx, actorOf(ctx), in.Key, in.number, engine.DryRunInput{
		RequestInput: engine.RequestInput{
			Context: b.canonical, ContextHash: b.hash, Requester: b.Requester, ArtifactType: b.ArtifactType, ArtifactID: b.ArtifactID,
		},
		At: millis(b.At), FromRequest: plainID(b.FromRequestID), TolerateUpstream: b.TolerateUpstream,
		Play: b.Play,
	})
	return result[simulationView]{Value: viewSimulation(sim)}, err
}

func viewSimulation(sim engine.DryRun) simulationView {
	return simulationView{
		PolicyKey: sim.Request.PolicyKey, PolicyVersion: sim.Request.PolicyVersion, Outcome: sim.Outcome,
		Validity: view.NewValidity(sim.Request, sim.Definition.Settings),
		Problems: view.List(sim.Problems, func(p refusal.Problem) problemView { return problemView{p.Where, p.Message} }),
		Stages: view.List(sim.Stages, func(s engine.DryStage) simulatedStageView {
			return viewSimulatedStage(s, sim.Definition)
		}), Warnings: append([]string{}, sim.Warnings...),
		Play: view.List(sim.Play, viewPlayed),
	}
}

func viewPlayed(p engine.Played) playedView {
	shown := playedView{
		Entry: p.Entry, StageStatus: p.StageStatus, RequestStatus: p.RequestStatus, Standing: p.Standing,
	}
	if p.Refusal != nil {
		shown.Problem = p.Refusal.Message
	}
	return shown
}

func viewSimulatedStage(s engine.DryStage, def policy.Definition) simulatedStageView {
	stage, _ := def.Stage(s.Run.Key)
	return simulatedStageView{
		ForecastStage: forecast(s.Run, stage, def), Status: s.Run.Status, Skip: s.Run.Skip,
		When: s.When, Approvers: view.NewApprovers(stage, s.Run, nil), Excluded: append([]approver.Exclusion{}, s.Run.Excluded...),
		Observers: append([]identity.User{}, s.Run.Observers...), Quorum: view.NewQuorum(stage, s.Run),
		EscalateTo: append([]identity.User{}, s.EscalateTo...),
	}
}

// diffView is the difference between two versions of a policy.
type diffView struct {
	Stages   []stageDiffView `json:"stages" doc:"Changed stages: those of the version in order, then the removed ones."`
	Settings []string        `json:"settings" doc:"Names of the changed members of settings."`
	Members  []string        `json:"members" doc:"Names of the other changed members, except change_note."`
}

type stageDiffView struct {
	Key              string            `json:"key" doc:"Key of the stage."`
	Change           policy.ChangeKind `json:"change" doc:"Kind of the difference. A stage that has changed and moved is changed."`
	Members          []string          `json:"members" doc:"Names of the changed members, except approvers."`
	ApproversAdded   []policy.Rule     `json:"approvers_added" doc:"Approver rules of the version only."`
	ApproversRemoved []policy.Rule     `json:"approvers_removed" doc:"Approver rules of the other version only."`
}

func viewDiff(r policy.Replacement) diffView {
	stages := view.List(r.Stages, func(c policy.StageChange) stageDiffView {
		return stageDiffView{
			Key: c.Key(), Change: c.Kind(), Members: append([]string{}, c.Members...),
			ApproversAdded: append([]policy.Rule{}, c.Added...), ApproversRemoved: append([]policy.Rule{}, c.Gone...),
		}
	})
	return diffView{Stages: stages, Settings: append([]string{}, r.Settings...), Members: append([]string{}, r.Members...)}
}

type compareVersionsInput struct {
	Versioned
	Against int `query:"against" required:"true" doc:"Number of the other version, from 1."`
}

func (h policyHandlers) compareVersions(ctx context.Context, in *compareVersionsInput) (result[diffView], error) {
	var none result[diffView]
	if in.Against < 1 || in.Against > 1<<30 {
		return none, refusal.New(reason.PolicyNotFound, "no version %d of policy %.64q", in.Against, in.Key)
	}
	version, err := h.engine.Policies.GetVersion(ctx, in.Key, in.number)
	if err != nil {
		return none, err
	}
	other, err := h.engine.Policies.GetVersion(ctx, in.Key, in.Against)
	return result[diffView]{Value: viewDiff(version.Definition.CompareWith(other.Definition))}, err
}

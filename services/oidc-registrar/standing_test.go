package registrar_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

const day = 24 * time.Hour

// validity is the validity of granted approvals of these tests, from born.
const validity = 30 * day

// newApproval returns an approval of the registration, in force until born plus validity.
func newApproval() registrar.Approval {
	return registrar.Approval{
		ClientID: "c1", Revision: 1, State: registrar.ApprovalGranted, Kind: registrar.CallRegister,
		Policy: "clients", Requester: "ana",
		RequestID: "r1", ContextHash: "h1", AskedAt: born, GrantedAt: born,
		Standing: registrar.StandingInForce, ValidUntil: born.Add(validity),
	}
}

func TestStandingIsRecorded(t *testing.T) {
	end := born.Add(validity)
	says := func(s registrar.Standing, until time.Time) registrar.Verdict {
		return registrar.Verdict{
			RequestID: "r1", ContextHash: "h1", Status: "approved", Standing: s, ValidUntil: until, EndReason: "leaked",
		}
	}
	other, content, open := says("revoked", end), says("revoked", end), says("revoked", end)
	other.RequestID, content.ContextHash, open.Status = "r2", "h2", "in_review"
	for name, tt := range map[string]struct {
		before  registrar.Standing
		verdict registrar.Verdict
		at      time.Time
		want    registrar.Standing
		until   time.Time
		comment string
	}{
		"in force":                        {"in_force", says("in_force", end), later, "in_force", end, ""},
		"another end":                     {"in_force", says("in_force", later.Add(day)), later, "in_force", later.Add(day), ""},
		"without an end":                  {"in_force", says("in_force", time.Time{}), end.Add(day), "in_force", time.Time{}, ""},
		"lapsed there":                    {"in_force", says("lapsed", end), later, "lapsed", end, "the approval has lapsed"},
		"revoked":                         {"in_force", says("revoked", end), later, "revoked", end, "leaked"},
		"revoked, and over":               {"in_force", says("revoked", end), end, "revoked", end, "leaked"},
		"consumed":                        {"in_force", says("consumed", end), later, "in_force", end, ""},
		"consumed, and over":              {"in_force", says("consumed", end), end, "lapsed", end, "the approval has lapsed"},
		"no longer reported":              {"in_force", says("", time.Time{}), later, "in_force", end, ""},
		"an unknown standing":             {"in_force", says("paused", later), later, "in_force", end, ""},
		"of another request":              {"in_force", other, later, "in_force", end, ""},
		"of another content":              {"in_force", content, later, "in_force", end, ""},
		"of a request that is open again": {"in_force", open, later, "in_force", end, ""},
		"purged":                          {"in_force", registrar.Verdict{Status: "unknown"}, later, "in_force", end, ""},
		"purged, and over":                {"in_force", registrar.Verdict{Status: "unknown"}, end, "lapsed", end, "the approval has lapsed"},
		"not read, a moment before":       {"in_force", registrar.Verdict{}, end.Add(-time.Millisecond), "in_force", end, ""},
		"not read, at the end":            {"in_force", registrar.Verdict{}, end, "lapsed", end, "the approval has lapsed"},
		"replaced before":                 {"replaced", says("revoked", end), later, "replaced", end, ""},
		"lapsed before":                   {"lapsed", says("in_force", end.Add(day)), later, "lapsed", end, ""},
	} {
		a := newApproval()
		a.Standing = tt.before
		got := a.RecordStanding(tt.verdict, tt.at)
		if got.Standing != tt.want || !got.ValidUntil.Equal(tt.until) || got.Comment != tt.comment {
			t.Errorf("%s: %q until %s, %q", name, got.Standing, got.ValidUntil, got.Comment)
		}
	}
	waiting := newApproval()
	waiting.State = registrar.ApprovalWaiting
	if got := waiting.RecordStanding(says("revoked", end), later); !reflect.DeepEqual(got, waiting) {
		t.Errorf("a pending approval is %+v", got)
	}
}

// An approval that has ended when the decision is read is not granted.
func TestAVerdictWithAStandingIsJudged(t *testing.T) {
	waiting := registrar.Approval{State: registrar.ApprovalWaiting, RequestID: "r1", ContextHash: "h1"}
	end := later.Add(day)
	for name, tt := range map[string]struct {
		standing registrar.Standing
		until    time.Time
		reason   string
		state    registrar.ApprovalState
		want     registrar.Standing
		comment  string
	}{
		"in force":              {"in_force", end, "", registrar.ApprovalGranted, "in_force", ""},
		"in force for ever":     {"in_force", time.Time{}, "", registrar.ApprovalGranted, "in_force", ""},
		"consumed":              {"consumed", end, "", registrar.ApprovalGranted, "in_force", ""},
		"revoked, with words":   {"revoked", end, "leaked", registrar.ApprovalDenied, "", "leaked"},
		"revoked, without":      {"revoked", end, "", registrar.ApprovalDenied, "", "the approval was revoked"},
		"lapsed there":          {"lapsed", end, "", registrar.ApprovalDenied, "", "the approval has lapsed"},
		"over by our clock":     {"in_force", later, "", registrar.ApprovalDenied, "", "the approval has lapsed"},
		"over in a moment":      {"in_force", later.Add(time.Millisecond), "", registrar.ApprovalGranted, "in_force", ""},
		"consumed, and is over": {"consumed", later, "", registrar.ApprovalDenied, "", "the approval has lapsed"},
	} {
		got := waiting.ApplyVerdict(registrar.Verdict{
			RequestID: "r1", ContextHash: "h1", Status: "approved",
			Standing: tt.standing, ValidUntil: tt.until, EndReason: tt.reason,
		}, later)
		if got.State != tt.state || got.Standing != tt.want || got.Comment != tt.comment ||
			!got.GrantedAt.Equal(later) || !got.DueAt.Equal(later) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	for _, standing := range []registrar.Standing{"pending", "", "paused"} { // not in force yet, or unknown
		got := waiting.ApplyVerdict(registrar.Verdict{
			RequestID: "r1", ContextHash: "h1", Status: "approved", Standing: standing, ValidUntil: end,
		}, later)
		if got.State != registrar.ApprovalWaiting || !got.DueAt.Equal(later.Add(registrar.PollInterval)) {
			t.Errorf("%q: %+v", standing, got)
		}
	}
}

// A pending approval is granted at its start: the request is read again then, or at the next poll.
func TestAPendingApprovalIsGrantedAtItsStart(t *testing.T) {
	waiting := registrar.Approval{State: registrar.ApprovalWaiting, RequestID: "r1", ContextHash: "h1"}
	for name, tt := range map[string]struct {
		from, due time.Time
	}{
		"in a minute":       {later.Add(time.Minute), later.Add(time.Minute)},
		"in a day":          {later.Add(day), later.Add(registrar.PollInterval)},
		"now, by our clock": {later, later.Add(registrar.PollInterval)},
	} {
		verdict := registrar.Verdict{RequestID: "r1", ContextHash: "h1", Status: "approved", Standing: "pending", ValidFrom: tt.from}
		got := waiting.ApplyVerdict(verdict, later)
		if got.State != registrar.ApprovalWaiting || !got.DueAt.Equal(tt.due) || !got.GrantedAt.IsZero() {
			t.Errorf("%s: %+v", name, got)
		}
		verdict.Standing = "in_force"
		if got = got.ApplyVerdict(verdict, tt.due); got.State != registrar.ApprovalGranted {
			t.Errorf("%s, in force: %+v", name, got)
		}
	}
}

// following is a client with its approval of the registration, in force.
func following(t *testing.T) registrar.Dependence {
	c := active(t)
	c.ID = "c1"
	return registrar.Dependence{Approval: newApproval(), Client: c}
}

func TestTheStepOfAnApproval(t *testing.T) {
	type dependence = registrar.Dependence
	is := func(s registrar.ClientStatus) func(*dependence) { return func(d *dependence) { d.Client.Status = s } }
	call := func(kind registrar.CallKind, sent bool) func(*dependence) {
		return func(d *dependence) { d.Call.Kind, d.Call.Sent = kind, sent }
	}
	for name, tt := range map[string]struct {
		edit  []func(*dependence)
		force registrar.FollowStep // while the approval is in force
		ended registrar.FollowStep // after it has lapsed or was revoked
	}{
		"of an ACTIVE client":   {nil, "keep", "suspend"},
		"of an INACTIVE client": {[]func(*dependence){is("INACTIVE")}, "keep", "suspend"},
		"of a client that does not exist": {
			[]func(*dependence){func(d *dependence) { d.Client = registrar.Client{} }},
			"replace", "replace",
		},
		"of an earlier client with this id": {
			[]func(*dependence){func(d *dependence) { d.Client.CreatedAt = later }},
			"replace", "replace",
		},
		"of a FAILED client": {
			[]func(*dependence){is("FAILED"), call("register", false)},
			"replace", "replace",
		},
		"while the outcome is unknown": {
			[]func(*dependence){func(d *dependence) { d.Client.OutcomeUnknown = true }},
			"keep", "wait",
		},
		"of a registration that was not sent": {
			[]func(*dependence){is("PENDING"), call("register", false)},
			"keep", "fail",
		},
		"of a registration that was sent": {
			[]func(*dependence){is("PENDING"), call("register", true)},
			"keep", "wait",
		},
		"of an abandoned registration": {
			[]func(*dependence){is("PENDING"), call("remove", true)},
			"replace", "replace",
		},
		"of a client with a change in flight": {[]func(*dependence){call("update", true)}, "keep", "suspend"},
	} {
		for standing, want := range map[registrar.Standing]registrar.FollowStep{
			"in_force": tt.force, "lapsed": tt.ended, "revoked": tt.ended,
		} {
			d := following(t)
			for _, edit := range tt.edit {
				edit(&d)
			}
			d.Approval.Standing = standing
			if got := d.Next(); got != want {
				t.Errorf("%s, %q: %s, want %s", name, standing, got, want)
			}
		}
	}
}

func TestWhenAnApprovalIsReadAgain(t *testing.T) {
	end, known := born.Add(validity), registrar.Verdict{Status: "approved"}
	for name, tt := range map[string]struct {
		standing registrar.Standing
		until    time.Time
		verdict  registrar.Verdict
		at, want time.Time
	}{
		"in force":               {"in_force", end, known, born, born.Add(registrar.PollInterval)},
		"without an end":         {"in_force", time.Time{}, known, born, born.Add(registrar.PollInterval)},
		"purged":                 {"in_force", end, registrar.Verdict{Status: "unknown"}, born, born.Add(day)},
		"purged, near the end":   {"in_force", end, registrar.Verdict{Status: "unknown"}, end.Add(-time.Hour), end},
		"not read":               {"in_force", end, registrar.Verdict{}, born, born.Add(registrar.PollInterval)},
		"near the end":           {"in_force", end, known, end.Add(-time.Minute), end},
		"five minutes before it": {"in_force", end, known, end.Add(-registrar.PollInterval), end},
		"after the end":          {"in_force", end, known, end, end.Add(registrar.PollInterval)},
	} {
		a := newApproval()
		a.Standing, a.ValidUntil = tt.standing, tt.until
		if got := a.NextRead(tt.verdict, tt.at); !got.Equal(tt.want) {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

func TestTheEndOfAnApprovalIsAnEvent(t *testing.T) {
	c := active(t)
	off, err := c.Suspend(later)
	if err != nil || off.Status != registrar.ClientInactive || !off.Suspended || off.Rev != c.Rev+1 {
		t.Fatalf("%+v, %v", off, err)
	}
	a := newApproval()
	a.Comment = "leaked"
	for standing, want := range map[registrar.Standing]registrar.Reason{
		"lapsed": registrar.ApprovalLapsed, "revoked": registrar.ApprovalRevoked,
	} {
		a.Standing = standing
		e := a.EndEvent(c, off, "worker", later)
		if e.Type != registrar.EventApprovalEnded || e.Reason != want || e.Comment != "leaked" ||
			!slices.Equal(e.Changed, []string{"status"}) ||
			e.ClientID != "c1" || e.Actor != "worker" || !e.At.Equal(later) {
			t.Errorf("%s: %+v", standing, e)
		}
		for status, want := range map[registrar.ClientStatus]registrar.WebhookType{
			registrar.ClientInactive: registrar.WebhookDeactivated, registrar.ClientFailed: registrar.WebhookFailed,
		} {
			after := off
			after.Status = status
			if got, told := e.Webhook(after, false); got != want || !told {
				t.Errorf("%s: %s %t", status, got, told)
			}
		}
		if got, told := a.EndEvent(off, off, "worker", later).Webhook(off, false); told {
			t.Errorf("nothing has changed: %s", got)
		}
	}
}

// A suspension ends with a new approval. A manual disable of a suspended client replaces it.
func TestASuspendedClient(t *testing.T) {
	c := active(t)
	off, err := c.Suspend(later)
	if err != nil {
		t.Fatal(err)
	}
	manual, err := c.Update(c.Deactivation(), later)
	if err != nil || manual.Suspended {
		t.Fatalf("%+v, %v", manual, err)
	}
	disable, err := off.Disable("leaked")
	if err != nil {
		t.Fatal(err)
	}
	final, named, same, enable := off.Deactivation(), off.Deactivation(), off.Deactivation(), off.Deactivation()
	final.Final, named.Name, enable.Status = true, "New", registrar.ClientActive
	for name, tt := range map[string]struct {
		before    registrar.Client
		update    registrar.Update
		status    registrar.ClientStatus
		suspended bool
	}{
		"again":                                {off, off.Suspension(), "INACTIVE", true},
		"a new name":                           {off, named, "INACTIVE", true},
		"a repair":                             {off, off.Repetition(), "INACTIVE", true},
		"resumed":                              {off, enable, "ACTIVE", false},
		"disabled":                             {off, disable, "INACTIVE", false},
		"disabled for good":                    {off, final, "INACTIVE", false},
		"a caller gives INACTIVE":              {off, off.WithStatus(same), "INACTIVE", false},
		"a caller gives INACTIVE and a name":   {off, off.WithStatus(named), "INACTIVE", true},
		"a caller gives ACTIVE":                {off, off.WithStatus(enable), "ACTIVE", false},
		"a manually disabled one is suspended": {manual, manual.Suspension(), "INACTIVE", false},
		"a manually disabled one is repeated":  {manual, manual.WithStatus(manual.Deactivation()), "INACTIVE", false},
	} {
		got, err := tt.before.Update(tt.update, later)
		if err != nil || got.Status != tt.status || got.Suspended != tt.suspended || got.Final != tt.update.Final {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if changed := tt.before.Changes(got); (got.Suspended != tt.before.Suspended) != slices.Contains(changed, "status") {
			t.Errorf("%s: changed %q", name, changed)
		}
	}
	if u := manual.WithStatus(manual.Deactivation()); u.Immediate {
		t.Error("a repeated disable is a new one")
	}
	if u := off.WithStatus(enable); u.Immediate {
		t.Error("a client is enabled here first")
	}
	final.Name = "New" // the interface of a one-way deactivation changes the status or the other fields
	if got, err := off.Update(final, later); err != nil || got.Name != off.Name || !got.Final {
		t.Errorf("disabled for good with a name: %+v, %v", got, err)
	}
	final.Name = off.Name
	if _, err := manual.Update(final, later); !errors.Is(err, registrar.AlreadyInactive) {
		t.Errorf("disabled for good while INACTIVE: %v", err)
	}
}

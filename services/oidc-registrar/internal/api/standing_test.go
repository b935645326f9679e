package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/timetest"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

const day = 24 * time.Hour

// standing is a service that follows its approvals, with a clock.
type standing struct {
	approved
	clock    *timetest.Clock
	path, id string
}

// withStanding is a service whose approvals are valid for a time.
func withStanding(t *testing.T, validFor time.Duration, configure ...func(*server.Config)) *standing {
	t.Helper()
	s := &standing{clock: timetest.At(time.Now().UTC().Truncate(time.Millisecond))}
	s.approved = approved{t: t, wf: newWF(t), provider: registrartest.NewESignet(t), key: registrartest.Key(t)}
	s.Service = registrartest.Boot(t, registrartest.Options{Now: s.clock.Now, Config: func(c *server.Config) {
		s.wf.Configure(c)
		s.provider.Configure(c)
		for _, edit := range configure {
			edit(c)
		}
	}})
	s.wf.SetStanding(s.clock.Now, validFor)
	s.ana = s.Partner("ana", "demo-partner")
	return s
}

// withGranted is withStanding with an ACTIVE client.
func withGranted(t *testing.T, validFor time.Duration, configure ...func(*server.Config)) *standing {
	t.Helper()
	s := withStanding(t, validFor, configure...)
	s.path, s.id = s.register()
	s.decide("approved", "")
	s.is(s.id, "ACTIVE", "ACTIVE")
	return s
}

// follow runs the job until no approval is due, and then the calls to the provider.
func (s *standing) follow() {
	s.t.Helper()
	for more := true; more; {
		var err error
		if more, err = s.Core.Approvals.FollowPass(s.t.Context()); err != nil {
			s.t.Fatal(err)
		}
	}
	for s.run() > 0 {
	}
}

// pass runs the job once.
func (s *standing) pass() {
	s.t.Helper()
	if _, err := s.Core.Approvals.FollowOnce(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// after advances the clock, and runs the jobs.
func (s *standing) after(d time.Duration) {
	s.t.Helper()
	s.clock.Advance(d)
	s.follow()
	s.ask()
}

// events lists the kinds of the events of the client, with their codes and comments.
func (s *standing) events(kinds ...string) (list []string) {
	s.t.Helper()
	for _, item := range s.Call("GET", neutral(s.path)+"/events", s.Admin(), nil).Member("items").([]any) {
		e := item.(map[string]any)
		text := fmt.Sprint(e["kind"])
		if e["errorCode"] != nil {
			text += fmt.Sprint(" ", e["errorCode"], ": ", e["comment"])
		}
		if len(kinds) == 0 || slices.Contains(kinds, fmt.Sprint(e["kind"])) {
			list = append(list, text)
		}
	}
	return list
}

// wantEvents holds the client to its events of these kinds.
func (s *standing) wantEvents(kind string, want ...string) {
	s.t.Helper()
	if got := s.events(kind); !slices.Equal(got, want) {
		s.t.Errorf("events %q, want %q, of %q", got, want, s.events())
	}
}

// approval returns the approval of the client in a reply.
func (s *standing) approval() map[string]any {
	s.t.Helper()
	view, _ := s.Call("GET", s.path, s.ana, nil).Member("approval").(map[string]any)
	return view
}

const lapsed = "approval_ended approval_lapsed: the approval has lapsed"

func TestAnApprovalThatLapsesDisablesItsClient(t *testing.T) {
	s := withGranted(t, 30*day)
	end := s.clock.Now().Add(30 * day)
	s.follow()
	if a := s.approval(); a["standing"] != "in_force" || a["validUntil"] != end.Format("2006-01-02T15:04:05.000Z") {
		t.Errorf("the approval is %v", a)
	}
	s.clock.Set(end.Add(-time.Millisecond))
	s.follow()
	s.is(s.id, "ACTIVE", "ACTIVE")
	s.wf.SetDown(true) // the end needs no answer
	s.clock.Set(end)
	s.pass()
	s.is(s.id, "INACTIVE", "ACTIVE") // here first
	s.follow()
	s.is(s.id, "INACTIVE", "INACTIVE")
	s.wantEvents("approval_ended", lapsed)
	calls := s.provider.Calls()
	s.wf.SetDown(false)
	s.after(day)
	s.sendWebhook(s.wf.Requests()[0].ID) // a late webhook
	if s.follow(); s.provider.Calls() != calls {
		t.Error("it is disabled again")
	}
	s.wantEvents("approval_ended", lapsed)
	if a := s.approval(); a["standing"] != "lapsed" || a["state"] != "granted" || a["comment"] != "the approval has lapsed" {
		t.Errorf("the approval is %v", a)
	}
	s.provider.Check(t)
}

func TestAnApprovalThatIsRevokedDisablesItsClient(t *testing.T) {
	revoked := "approval_ended approval_revoked: leaked"
	for name, validFor := range map[string]time.Duration{"valid for a time": 30 * day, "valid for ever": 0} {
		t.Run(name, func(t *testing.T) {
			s := withGranted(t, validFor)
			s.follow()
			s.wf.Revoke(s.last(), "leaked")
			s.sendWebhook("another request")
			s.is(s.id, "ACTIVE", "ACTIVE")
			s.sendWebhook(s.last())
			s.is(s.id, "INACTIVE", "ACTIVE")
			s.sendWebhook(s.last()) // again, before the call to the provider
			s.follow()
			s.is(s.id, "INACTIVE", "INACTIVE")
			s.sendWebhook(s.last())
			s.after(40 * day)
			s.wantEvents("approval_ended", revoked)
		})
	}
	t.Run("and the webhook is lost", func(t *testing.T) {
		s := withGranted(t, 0)
		s.follow()
		s.wf.Revoke(s.last(), "leaked")
		s.after(registrar.PollInterval - time.Second)
		s.is(s.id, "ACTIVE", "ACTIVE")
		s.after(time.Second)
		s.is(s.id, "INACTIVE", "INACTIVE")
		s.wantEvents("approval_ended", revoked)
	})
	t.Run("and the approval service is away", func(t *testing.T) {
		s := withGranted(t, 0)
		s.follow()
		s.wf.Revoke(s.last(), "leaked")
		s.wf.SetDown(true)
		s.sendWebhook(s.last())
		s.after(registrar.PollInterval)
		s.is(s.id, "ACTIVE", "ACTIVE")
		s.wf.SetDown(false)
		s.after(time.Minute)
		s.is(s.id, "INACTIVE", "INACTIVE")
	})
}

// The approval service purges requests, and may be restored.
func TestAnApprovalWhoseRequestIsUnknownLapsesInTime(t *testing.T) {
	for name, lose := range map[string]func(s *standing){
		"purged":   func(s *standing) { s.wf.Purge(s.last()) },
		"restored": func(s *standing) { s.wf.Restore() },
		"reopened": func(s *standing) { s.wf.edit(s.last(), func(r *wfRequest) { r.Status, r.Standing = "in_review", "" }) },
		"altered":  func(s *standing) { s.wf.Tamper(); s.wf.Revoke(s.last(), "leaked") },
	} {
		t.Run(name, func(t *testing.T) {
			s := withGranted(t, 30*day)
			s.follow()
			lose(s)
			s.after(20 * day)
			s.is(s.id, "ACTIVE", "ACTIVE")
			s.after(10 * day)
			s.is(s.id, "INACTIVE", "INACTIVE")
			s.wantEvents("approval_ended", lapsed)
		})
	}
}

// A manual disable is not undone by an approval that is read later, before the end of the first approval or after.
func TestALaterApprovalDoesNotUndoAManualDisable(t *testing.T) {
	for name, disable := range map[string]func(s *standing) registrartest.Reply{
		"by an admin": func(s *standing) registrartest.Reply {
			return s.Call("POST", neutral(s.path)+"/disable", s.Admin(), because("leaked"))
		},
		"by a status": func(s *standing) registrartest.Reply {
			return s.Call("PUT", s.path, s.ana, registrartest.UpdateRequest(with("status", "INACTIVE")))
		},
		"with its partner": func(s *standing) registrartest.Reply {
			partner := func(status string) registrartest.Reply {
				return s.Call("PUT", "/v1/partnermanager/partners/demo-partner?cascade=true", s.Admin(),
					map[string]any{"request": with("name", "Demo partner", "type", "Auth_Partner", "status", status)})
			}
			expect(s.t, "the partner ends", partner("INACTIVE"), 200, "")
			return partner("ACTIVE")
		},
	} {
		for when, age := range map[string]time.Duration{"before the end": 16 * day, "after the end": 30 * day} {
			t.Run(name+", "+when, func(t *testing.T) {
				s := withGranted(t, 30*day)
				s.after(age)
				move := registrartest.UpdateRequest(with("redirectUris", []any{"https://elsewhere.example/cb"}, "status", "ACTIVE"))
				expect(t, "a change", s.Call("PUT", s.path, s.ana, move), 200, "")
				s.ask()
				s.wf.Decide("approved", "") // read too late
				expect(t, "disabled", disable(s), 200, "")
				s.follow()
				s.is(s.id, "INACTIVE", "INACTIVE")
				s.sendWebhook(s.last())
				s.after(day)
				s.is(s.id, "INACTIVE", "INACTIVE")
			})
		}
	}
}

// The end of a partner ends the suspension of its clients.
func TestASuspendedClientIsDisabledWithItsPartner(t *testing.T) {
	s := withGranted(t, day)
	s.after(day)
	expect(t, "the partner ends", s.Call("PUT", "/v1/partnermanager/partners/demo-partner?cascade=true", s.Admin(),
		map[string]any{"request": with("name", "Demo partner", "type", "Auth_Partner", "status", "INACTIVE")}), 200, "")
	if c, err := s.Store.Client(t.Context(), s.id); err != nil || c.Suspended || c.Status != registrar.ClientInactive {
		t.Errorf("%+v, %v", c, err)
	}
}

// The approval of an earlier client with the same id is not shown.
func TestAnApprovalOfAnEarlierClientIsNotShown(t *testing.T) {
	s := withStanding(t, 0)
	s.path, s.id = s.register()
	expect(t, "deleted", s.Call("DELETE", neutral(s.path), s.ana, nil), 200, "")
	s.Core.Approvals.ApprovalPolicy = ""
	s.clock.Advance(time.Second)
	expect(t, "registered again", s.Call("POST", partnerPath, s.ana, registrartest.PartnerRequest(s.key, nil)), 200, "")
	s.is(s.id, "ACTIVE", "ACTIVE")
	if a := s.approval(); a != nil {
		t.Errorf("the approval is %v", a)
	}
}

func TestALaterApprovalEnablesTheClient(t *testing.T) {
	s := withGranted(t, 30*day)
	s.after(30 * day)
	s.is(s.id, "INACTIVE", "INACTIVE")
	expect(t, "enabled", s.Call("POST", neutral(s.path)+"/enable", s.ana, nil), 200, "")
	s.ask()
	s.is(s.id, "INACTIVE", "INACTIVE")
	s.decide("approved", "")
	s.is(s.id, "ACTIVE", "ACTIVE")
	s.after(30*day - time.Second)
	s.is(s.id, "ACTIVE", "ACTIVE")
	s.after(time.Second)
	s.is(s.id, "INACTIVE", "INACTIVE")
	s.wantEvents("approval_ended", lapsed, lapsed)
}

// A change requested before the end also enables the client.
func TestAChangeThatIsApprovedAfterTheEnd(t *testing.T) {
	s := withGranted(t, 30*day)
	move := registrartest.UpdateRequest(with("redirectUris", []any{"https://elsewhere.example/cb"}))
	expect(t, "a change", s.Call("PUT", s.path, s.ana, move), 200, "")
	s.after(30 * day)
	s.is(s.id, "INACTIVE", "INACTIVE")
	s.decide("approved", "")
	s.is(s.id, "ACTIVE", "ACTIVE")
	if uris := s.provider.Client(s.id).RedirectURIs; !slices.Equal(uris, []string{"https://elsewhere.example/cb"}) {
		t.Errorf("the provider has %q", uris)
	}
}

// The end of an approval during a call to the provider is applied after the outcome of that call.
func TestTheEndOfAnApprovalWaitsForACallInFlight(t *testing.T) {
	s := withGranted(t, 0)
	s.follow()
	s.wf.Revoke(s.last(), "leaked")
	early := make(chan registrartest.Reply, 1)
	s.provider.SetHook(registrartest.Before, func() {
		s.provider.SetHook(registrartest.Before, nil)
		body, headers := s.wf.Webhook(t, s.last(), time.Now())
		early <- s.Call("POST", "/v1/registrar/approvals", "", body, headers...)
	})
	expect(t, "a name", s.Call("PUT", s.path, s.ana, registrartest.UpdateRequest(with("clientName", "New"))), 200, "")
	expect(t, "a webhook meanwhile", <-early, 200, "")
	s.is(s.id, "ACTIVE", "ACTIVE")
	if strings.Contains(s.Log.String(), "approval call failed") {
		t.Error("it is logged as a failure")
	}
	s.after(time.Minute)
	s.is(s.id, "INACTIVE", "INACTIVE")
	s.wantEvents("approval_ended", "approval_ended approval_revoked: leaked")
}

// moving is an ACTIVE client with an approved change that the provider has not received.
func moving(t *testing.T) *standing {
	s := withGranted(t, 30*day)
	s.after(30*day - 2*time.Minute)
	move := registrartest.UpdateRequest(with("redirectUris", []any{"https://elsewhere.example/cb"}))
	expect(t, "a change", s.Call("PUT", s.path, s.ana, move), 200, "")
	s.ask()
	s.provider.SetDown(true)
	s.decide("approved", "")
	return s
}

func TestAChangeUnderALaterApprovalIsInFlight(t *testing.T) {
	elsewhere := []string{"https://elsewhere.example/cb"}
	t.Run("and the earlier one lapses", func(t *testing.T) {
		s := moving(t)
		s.clock.Advance(2 * time.Minute)
		s.pass()
		s.is(s.id, "ACTIVE", "ACTIVE")
		s.provider.SetDown(false)
		for s.run() > 0 {
		}
		s.after(time.Minute)
		s.is(s.id, "ACTIVE", "ACTIVE")
		if uris := s.provider.Client(s.id).RedirectURIs; !slices.Equal(uris, elsewhere) {
			t.Errorf("the provider has %q", uris)
		}
		s.wantEvents("approval_ended")
		s.after(30*day - 2*time.Minute)
		s.is(s.id, "INACTIVE", "INACTIVE")
	})
	t.Run("and is refused after the earlier one has lapsed", func(t *testing.T) {
		s := moving(t)
		s.clock.Advance(2 * time.Minute)
		s.pass()
		s.is(s.id, "ACTIVE", "ACTIVE")
		s.provider.SetDown(false)
		s.provider.Refuse("invalid_redirect_uri")
		if _, err := s.Core.Calls.RunOnce(t.Context()); err == nil {
			t.Fatal("not refused")
		}
		s.provider.Refuse("")
		s.after(time.Minute)
		s.is(s.id, "ACTIVE", "ACTIVE") // under the later approval, which alone counts
		s.wf.Revoke(s.last(), "leaked")
		s.after(time.Minute + registrar.PollInterval)
		s.is(s.id, "INACTIVE", "INACTIVE")
	})
	t.Run("and is revoked", func(t *testing.T) {
		s := moving(t)
		s.wf.Revoke(s.last(), "leaked")
		s.sendWebhook(s.last())
		s.is(s.id, "INACTIVE", "ACTIVE")
		s.provider.SetDown(false)
		s.after(time.Minute)
		s.is(s.id, "INACTIVE", "INACTIVE")
		if uris := s.provider.Client(s.id).RedirectURIs; slices.Equal(uris, elsewhere) {
			t.Error("a change was made whose approval was revoked")
		}
		s.wantEvents("approval_ended", "approval_ended approval_revoked: leaked")
	})
}

// A registration that the provider has not received fails when its approval ends. One that it may have
// received is completed and disabled.
func TestTheEndOfAnApprovalDuringTheRegistration(t *testing.T) {
	t.Run("that was not sent", func(t *testing.T) {
		issues := false
		tokens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if !issues {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			fmt.Fprint(w, `{"access_token":"t","token_type":"Bearer","expires_in":60}`)
		}))
		defer tokens.Close()
		s := withStanding(t, 0, func(c *server.Config) {
			c.IDPTokenURL, c.IDPClientID, c.IDPClientSecret = tokens.URL, "registrar", "secret"
		})
		s.path, s.id = s.register()
		s.decide("approved", "")
		s.is(s.id, "PENDING", "")
		s.wf.Revoke(s.last(), "leaked")
		s.sendWebhook(s.last())
		s.is(s.id, "FAILED", "")
		issues = true
		s.after(day)
		s.is(s.id, "FAILED", "")
		s.wantEvents("approval_ended", "approval_ended approval_revoked: leaked")
		repeat := s.Call("POST", partnerPath, s.ana, registrartest.PartnerRequest(s.key, nil))
		expect(t, "the same registration again", repeat, 200, "not_approved")
		expect(t, "registered again", s.Call("PUT", s.path, s.ana, registrartest.UpdateRequest(nil)), 200, "")
		s.ask()
		s.decide("approved", "")
		s.is(s.id, "ACTIVE", "ACTIVE")
	})
	t.Run("that was corrected before it was sent", func(t *testing.T) {
		tokens := httptest.NewServer(http.NotFoundHandler())
		defer tokens.Close()
		s := withStanding(t, 0, func(c *server.Config) {
			c.IDPTokenURL, c.IDPClientID, c.IDPClientSecret = tokens.URL, "registrar", "secret"
		})
		s.path, s.id = s.register()
		s.decide("approved", "")
		first := s.last()
		expect(t, "a correction", s.Call("PUT", s.path, s.ana, registrartest.UpdateRequest(with("clientName", "Corrected"))),
			200, "")
		s.ask()
		s.wf.Revoke(first, "leaked")
		s.sendWebhook(first)
		s.after(registrar.PollInterval)
		s.is(s.id, "PENDING", "") // under the approval that is open
		s.wantEvents("approval_ended")
	})
	t.Run("that may have been sent", func(t *testing.T) {
		s := withStanding(t, 0, func(c *server.Config) { c.IDPSoleWriter = true })
		s.provider.LoseReplies(true)
		s.path, s.id = s.register()
		s.decide("approved", "")
		s.is(s.id, "PENDING", "ACTIVE")
		s.wf.Revoke(s.last(), "leaked")
		s.sendWebhook(s.last())
		s.is(s.id, "PENDING", "ACTIVE")
		s.provider.LoseReplies(false)
		s.clock.Advance(time.Minute)
		s.run()
		s.after(time.Minute)
		s.is(s.id, "INACTIVE", "INACTIVE")
	})
	t.Run("that is given up", func(t *testing.T) {
		s := withStanding(t, 0)
		s.provider.SetDown(true)
		s.path, s.id = s.register()
		s.decide("approved", "")
		expect(t, "deleted", s.Call("DELETE", neutral(s.path), s.ana, nil), 503, "unknown_error")
		s.wf.Revoke(s.last(), "leaked")
		s.sendWebhook(s.last())
		s.provider.SetDown(false)
		s.after(day)
		s.wantEvents("approval_ended")
		if r := s.Call("GET", s.path, s.Admin(), nil); r.Code() != "PMS_IDP_004" {
			t.Errorf("it is there: %s", r.Body)
		}
	})
}

// A process that dies after it has leased an approval loses nothing.
func TestAProcessThatDiesWhileItFollowsAnApproval(t *testing.T) {
	s := withGranted(t, 30*day)
	s.after(16 * day)
	s.clock.Advance(14 * day)
	err := s.Store.Do(t.Context(), func(tx *store.Tx) error {
		taken, err := tx.Approvals.TakeGranted(8, time.Minute)
		if len(taken) != 1 {
			t.Errorf("%d approvals", len(taken))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s.after(time.Minute - time.Millisecond)
	s.is(s.id, "ACTIVE", "ACTIVE")
	s.clock.Advance(time.Millisecond)
	s.pass()
	s.is(s.id, "INACTIVE", "ACTIVE") // it dies again
	for s.run() > 0 {
	}
	s.is(s.id, "INACTIVE", "INACTIVE")
	s.wantEvents("approval_ended", lapsed)
}

// Several processes follow the same approvals, by webhooks and by the job.
func TestAnApprovalEndsOnceAtManyProcesses(t *testing.T) {
	for name, end := range map[string]func(s *standing){
		"lapsed":  func(s *standing) { s.clock.Advance(30 * day) },
		"revoked": func(s *standing) { s.clock.Advance(registrar.PollInterval); s.wf.Revoke(s.last(), "leaked") },
	} {
		t.Run(name, func(t *testing.T) {
			s := withGranted(t, 30*day)
			s.follow()
			end(s)
			body, headers := s.wf.Webhook(t, s.last(), time.Now())
			header := http.Header{}
			for i := 0; i < len(headers); i += 2 {
				header.Set(headers[i], headers[i+1])
			}
			var group sync.WaitGroup
			for i := range 4 {
				o := s.Options
				o.Process = fmt.Sprint("process-", i)
				other := engine.New(o)
				for range 4 {
					group.Go(func() {
						if err := other.Approvals.ReceiveApprovalWebhook(t.Context(), header, body); err != nil {
							t.Error(err)
						}
					})
					group.Go(func() {
						if _, err := other.Approvals.FollowOnce(t.Context()); err != nil {
							t.Error(err)
						}
					})
				}
			}
			group.Wait()
			s.follow()
			s.ask()
			if n := len(s.events("approval_ended")); n != 1 {
				t.Errorf("events %q", s.events())
			}
			s.is(s.id, "INACTIVE", "INACTIVE")
		})
	}
}

// The key of a change that is revoked before the provider has it is free again.
func TestTheKeyOfARevokedChangeIsFree(t *testing.T) {
	clock, provider := timetest.At(time.Now()), &rfc7591{}
	listening := httptest.NewServer(provider)
	defer listening.Close()
	a := approved{t: t, wf: newWF(t), key: registrartest.Key(t)}
	a.Service = registrartest.Boot(t, registrartest.Options{Now: clock.Now, Config: func(c *server.Config) {
		a.wf.Configure(c)
		c.IDP, c.IDPURL = "rfc7591", listening.URL
	}})
	a.wf.SetStanding(clock.Now, 0)
	a.ana, a.key["kid"] = a.Partner("ana", "demo-partner"), "one"
	path, _ := a.register()
	a.decide("approved", "")
	second := bodyWithKey(t, "two")
	expect(t, "a second key", a.Call("POST", neutral(path)+"/keys", a.ana, second), 200, "")
	a.ask()
	provider.set(true)
	a.decide("approved", "") // and the provider does not learn it
	key := second["request"].(map[string]any)["publicKey"].(map[string]any)
	other := func(id string) registrartest.Reply {
		return a.Call("POST", providerPath, a.Provider(), registrartest.ProviderRequest(id, key, nil))
	}
	expect(t, "while it is on its way", other("first"), 200, "duplicate_public_key")
	a.wf.Revoke(a.last(), "leaked")
	a.sendWebhook(a.last())
	if r := a.Call("GET", path, a.ana, nil); r.Member("status") != "INACTIVE" {
		t.Errorf("revoked: %s", r.Body)
	}
	expect(t, "after it was revoked", other("second"), 200, "")
}

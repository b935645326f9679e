package notify_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/countersign/countersign/libs/outbox"
	webhookadmin "github.com/countersign/countersign/libs/outbox/admin"
	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/web/webtest"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// channel is a chat that accepts posts at one address.
type channel struct {
	*httptest.Server
	mu     sync.Mutex
	bodies [][]byte
	heads  []http.Header
	answer int
}

// secretPath is the secret part of the address of a channel.
const secretPath = "/services/T024BE7LD/B0C4N4RY/xoxCanarySecret"

func chat(t *testing.T) *channel {
	t.Helper()
	c := &channel{answer: http.StatusOK}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c.mu.Lock()
		defer c.mu.Unlock()
		if r.URL.Path != secretPath {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		c.bodies, c.heads = append(c.bodies, body), append(c.heads, r.Header)
		w.WriteHeader(c.answer)
		_, _ = fmt.Fprint(w, "no channel at "+r.URL.Path)
	}))
	t.Cleanup(c.Close)
	return c
}

// attack is a hostile title of a request.
const attack = "<!channel> @all <https://evil.example|Approve> [Approve](https://evil.example) *b* _i_ `c` :rotating_light: www.evil.example <at>Ann</at> & ~town-square"

func TestChatMessagesUseTheFormatOfTheChat(t *testing.T) {
	for _, format := range []outbox.Format{outbox.FormatSlack, outbox.FormatMattermost, outbox.FormatTeams} {
		t.Run(string(format), func(t *testing.T) {
			o := begin(t)
			c := chat(t)
			made, err := o.Engine.Webhooks.CreateEndpoint(t.Context(), admin("root"), outbox.Endpoint{
				Name: "team", URL: c.URL + secretPath, Format: format, Events: []string{"request.commented", "task.decided"},
				PolicyKeys: []string{"*"}, Signature: outbox.SignHMAC, Enabled: true,
			}, "")
			must(t, err)
			if made.Secret != "" || made.URL != c.URL+"/…" || strings.Contains(fmt.Sprintf("%+v", made), "Canary") {
				t.Errorf("the endpoint shows %+v", made)
			}
			o.knows("ana")
			o.policy(policy.Definition{Name: "Leave", Stages: []policy.Stage{stage("ana")}})
			r := o.ask(func(in *engine.RequestInput) { in.Title, in.Priority = attack, wf.PriorityHigh })
			_, err = o.Requests.AddComment(t.Context(), person("rita"), r.ID, wf.CommentInput{Text: "Please: " + attack + "\nThanks"}, nil)
			must(t, err)
			o.decide(r, "ana", wf.ActionApprove, "Fine")
			o.deliver()
			if len(c.bodies) != 2 {
				t.Fatalf("%d messages", len(c.bodies))
			}
			slices.SortFunc(c.bodies, bytes.Compare) // no order is promised
			var got bytes.Buffer
			for _, body := range c.bodies {
				must(t, json.Indent(&got, bytes.ReplaceAll(body, []byte(r.ID), []byte("REQUEST")), "", "  "))
				got.WriteByte('\n')
			}
			compareGolden(t, "chat-"+string(format)+".golden.json", got.Bytes())
			for _, h := range c.heads {
				if h.Get("Content-Type") != "application/json" || h.Get("Webhook-Signature") != "" {
					t.Errorf("headers: %v", h)
				}
			}
			shown, err := json.Marshal([]any{o.deliveries(), made})
			must(t, err)
			if strings.Contains(string(shown)+o.Log.String(), "Canary") {
				t.Errorf("the address of the channel is disclosed: %s\n%s", shown, o.Log)
			}
		})
	}
}

func (o *office) deliveries() []outbox.Delivery {
	o.t.Helper()
	filter := outbox.DeliveryFilter{Endpoint: []string{"team"}}
	list, _, err := o.Store.Outbox.Deliveries(o.t.Context(), filter, wf.Page{Limit: 50})
	must(o.t, err)
	return list
}

func compareGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	if want := webtest.ReadGolden(t, "testdata/"+name, got); !bytes.Equal(got, want) {
		t.Errorf("%s differs:\n%s", name, got)
	}
}

func TestTheAddressOfAChatIsASecret(t *testing.T) {
	o := begin(t)
	c := chat(t)
	draft := outbox.Endpoint{
		Name: "team", URL: "https://old.example" + secretPath, Format: outbox.FormatSlack,
		Events: []string{"request.created"}, PolicyKeys: []string{"*"}, Signature: outbox.SignHMAC, Enabled: true,
	}
	if _, err := o.Engine.Webhooks.CreateEndpoint(t.Context(), admin("root"), draft,
		"whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="); !errors.Is(err, reason.BadInput) {
		t.Errorf("with a secret: %v", err)
	}
	made, err := o.Engine.Webhooks.CreateEndpoint(t.Context(), admin("root"), draft, "")
	must(t, err)
	_, err = o.Engine.Webhooks.RotateSecret(t.Context(), admin("root"), made.ID, "", 0)
	if !errors.Is(err, reason.WrongState) {
		t.Errorf("rotated: %v", err)
	}
	change := webhookadmin.Change{URL: new(c.URL + secretPath)}
	moved, err := o.Engine.Webhooks.UpdateEndpoint(t.Context(), admin("root"), made.ID, "", change)
	must(t, err)
	if moved.URL != c.URL+"/…" || moved.Key.Sealed == made.Key.Sealed {
		t.Errorf("moved to %+v", moved)
	}
	// With another key first, rekey encrypts it again, and the old one can go.
	const after = "new:MTEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
	keys, err := seal.Parse(after + "," + sealKey)
	must(t, err)
	rekeying := engine.New(engine.Options{Store: o.Store, Keys: keys})
	for _, want := range []int{1, 0} {
		if n, err := rekeying.Webhooks.RekeyEndpoints(t.Context()); err != nil || n != want {
			t.Errorf("rekeyed %d, %v; want %d", n, err, want)
		}
	}
	if o.Sender.Keys, err = seal.Parse(after); err != nil {
		t.Fatal(err)
	}
	c.answer = http.StatusBadRequest
	o.knows("ana")
	o.policy(policy.Definition{Name: "Leave", Stages: []policy.Stage{stage("ana")}})
	o.ask()
	o.deliver()
	if list := o.deliveries(); len(c.bodies) != 1 || len(list) != 1 || list[0].LastError != "status 400" ||
		strings.Contains(fmt.Sprintf("%+v", list), "Canary") {
		t.Errorf("%d messages, deliveries %+v", len(c.bodies), list)
	}
}

package receipt_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/lestrrat-go/jwx/v2/jwa"
	"github.com/lestrrat-go/jwx/v2/jwk"
	"github.com/lestrrat-go/jwx/v2/jws"

	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/libs/web/webtest"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/receipt"
	"github.com/countersign/countersign/services/wf/quorum"
)

// seed is the base64 of 32 bytes that count from a first byte.
func seed(first byte) string {
	raw := make([]byte, 32)
	for i := range raw {
		raw[i] = first + byte(i)
	}
	return base64.StdEncoding.EncodeToString(raw)
}

func keysOf(t testing.TB, text string) receipt.Keys {
	t.Helper()
	keys, err := receipt.ParseKeys(text)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func setOf(t testing.TB, keys receipt.Keys) jwk.Set {
	t.Helper()
	text, err := receipt.JWKS(keys.Public())
	if err != nil {
		t.Fatal(err)
	}
	set, err := jwk.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

var at = time.Date(2027, 3, 1, 12, 0, 0, 500e6, time.UTC)

// request is approved by the people of one stage, each on another ground, and is valid for a day.
func request() wf.Request {
	person := func(id string) *identity.User {
		return &identity.User{ID: id, Name: "Name of " + id, Email: id + "@example.org"}
	}
	task := func(seat int, holder, actor string, change func(*wf.Task)) wf.Task {
		t := wf.Task{
			ID: fmt.Sprintf("task-%d", seat), StageKey: "checks", StageRun: 2, Seat: seat, Kind: wf.ApproverTask,
			Status: wf.TaskCompleted, Assignee: person(holder),
			Decision: &wf.Decision{
				Action: wf.ActionApprove, Actor: identity.ActorRef{Kind: identity.ActorUser, ID: actor},
				Auth: identity.Auth{ACR: "urn:acr:" + actor}, DecidedAt: identity.Stamp{Time: at.Add(-time.Hour)},
			},
		}
		change(&t)
		return t
	}
	old := task(1, "old", "old", func(t *wf.Task) { t.StageRun = 1 })
	return wf.Request{
		ID: "0198f000-0000-7000-8000-000000000001", PolicyKey: "payment", PolicyVersion: 3, Status: wf.RequestApproved,
		ArtifactType: "invoice", ArtifactID: "2027-17", ContextHash: "sha256:" + strings.Repeat("ab", 32), Revision: 2,
		Requester: *person("rita"), CompletedAt: at, Standing: wf.StandingInForce, ValidUntil: at.Add(24 * time.Hour),
		Stages: []wf.StageRun{
			{Key: "checks", Run: 1, Status: wf.StageCancelled},
			{Key: "checks", Run: 2, Status: wf.StageApproved, Count: quorum.Count{Need: 5}},
			{Key: "director", Run: 1, Status: wf.StageSkipped},
		},
		Tasks: []wf.Task{
			old,
			task(1, "ana", "ana", func(*wf.Task) {}),
			task(2, "bo", "dora", func(t *wf.Task) { t.Decision.OnBehalfOf = person("bo") }),
			task(3, "cy", "cy", func(t *wf.Task) { t.Added = true }),
			task(4, "eve", "eve", func(t *wf.Task) { t.Rescue, t.PlacedBy = true, person("root") }),
			task(5, "flo", "system:repeat", func(t *wf.Task) { t.Decision.Actor.Kind, t.Decision.Auth = identity.ActorSystem, identity.Auth{} }),
			task(6, "gus", "gus", func(t *wf.Task) { t.Decision.Action = wf.ActionReject }),
			task(7, "lost", "lost", func(t *wf.Task) { t.CloseReason = wf.ClosedApproverLost }),
			{ID: "task-8", StageKey: "checks", StageRun: 2, Seat: 8, Status: wf.TaskSkipped, Assignee: person("hal")},
		},
	}
}

func claims() receipt.Claims {
	return receipt.New(request(), true, receipt.Evidence{
		Issuer: "https://approvals.example.org", ID: "receipt-1", At: at.Add(time.Minute),
		PolicyHash: "sha256:" + strings.Repeat("cd", 32), Approved: receipt.Link{Seq: 9, Hash: "sha256:" + strings.Repeat("ef", 32)},
	})
}

var expected = receipt.Expected{Issuer: "https://approvals.example.org", At: at.Add(time.Hour)}

// The format is pinned: a receipt of this version verifies with every later one. Ed25519 has one signature of a message.
func TestTheFormatIsPinned(t *testing.T) {
	keys := keysOf(t, "k1:"+seed(1))
	token, err := keys.Sign(claims())
	if err != nil {
		t.Fatal(err)
	}
	statement, err := keys.SignStatement(claims(), []wf.Attachment{
		{Name: "plan.pdf", SHA256: strings.Repeat("12", 32)}, {Name: "note.txt"}, {Name: "context", SHA256: strings.Repeat("34", 32)},
	})
	if err != nil {
		t.Fatal(err)
	}
	set, err := receipt.JWKS(keys.Public())
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{"receipt.jws": token, "statement.json": string(statement), "jwks.json": string(set)} {
		if want := webtest.ReadGolden(t, "testdata/"+name, []byte(got+"\n")); string(want) != got+"\n" {
			t.Errorf("%s differs:\n%s", name, got)
		}
	}
	if strings.Contains(token+string(statement), "Name of") {
		t.Error("a receipt has the name of a person")
	}
}

func TestAReceiptHasTheGroundOfEachApproval(t *testing.T) {
	c := claims()
	got := []string{}
	for _, a := range c.Stages[0].Approvals.List {
		got = append(got, strings.TrimSpace(a.Actor+" "+string(a.Basis)+" "+a.OnBehalfOf))
	}
	if want := "ana rule, dora rule bo, cy escalation, eve rescue, flo repeat"; strings.Join(got, ", ") != want {
		t.Errorf("approvals: %s\nwant:      %s", strings.Join(got, ", "), want)
	}
	if len(c.Stages) != 2 || c.Stages[0].Need != 5 || c.Stages[1].Status != wf.StageSkipped || c.By != receipt.ByPeople {
		t.Errorf("claims %+v", c)
	}
	if c.Expires != at.Add(24*time.Hour).Unix() || c.ConsumedAt != nil {
		t.Errorf("exp %d, consumed %v", c.Expires, c.ConsumedAt)
	}
	r := request()
	r.Tasks[1].Decision.Override, r.Standing, r.EndedAt = true, wf.StandingConsumed, at.Add(time.Second)
	if c := receipt.New(r, true, receipt.Evidence{}); c.By != receipt.ByOverride ||
		c.Stages[0].Approvals.List[0].Basis != wf.BasisOverride || c.ConsumedAt == nil {
		t.Errorf("an override: %+v", c)
	}
	r.Standing = wf.StandingRevoked
	if c := receipt.New(r, true, receipt.Evidence{}); c.ConsumedAt != nil {
		t.Errorf("a revocation is shown as a consumption: %+v", c)
	}
	r.Tasks, r.ValidUntil, r.ArtifactType, r.ArtifactID = nil, time.Time{}, "", ""
	if c := receipt.New(r, false, receipt.Evidence{}); c.By != receipt.ByPolicy || c.Expires != 0 || c.Artifact != nil {
		t.Errorf("an approval by the policy: %+v", c)
	}
}

func TestAValidReceiptIsAccepted(t *testing.T) {
	old, both := keysOf(t, "k1:"+seed(1)), keysOf(t, "k2:"+seed(2)+",k1:"+seed(1))
	for name, signer := range map[string]receipt.Keys{"the old key": old, "the new key": both} {
		token, err := signer.Sign(claims())
		if err != nil {
			t.Fatal(err)
		}
		want := expected
		want.ContextHash, want.Policy = claims().ContextHash, "payment"
		c, err := receipt.Verify(token, setOf(t, both), want)
		if err != nil || c.Subject != "urn:uuid:"+request().ID || len(c.Stages[0].Approvals.List) != 5 {
			t.Errorf("%s: %v %+v", name, err, c)
		}
	}
}

func TestAnInvalidReceiptIsRefused(t *testing.T) {
	keys := keysOf(t, "k1:"+seed(1))
	set := setOf(t, keys)
	private := ed25519.NewKeyFromSeed([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
		23, 24, 25, 26, 27, 28, 29, 30, 31, 32})
	sign := func(c any, header map[string]any) string {
		payload, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		h := jws.NewHeaders()
		for name, value := range header {
			if err := h.Set(name, value); err != nil {
				t.Fatal(err)
			}
		}
		token, err := jws.Sign(payload, jws.WithKey(jwa.EdDSA, private, jws.WithProtectedHeaders(h)))
		if err != nil {
			t.Fatal(err)
		}
		return string(token)
	}
	good := map[string]any{"typ": receipt.Type, "kid": "k1"}
	valid := sign(claims(), good)
	if _, err := receipt.Verify(valid, set, expected); err != nil {
		t.Fatalf("the test signs as the service does: %v", err)
	}
	with := func(change func(*receipt.Expected)) receipt.Expected {
		e := expected
		change(&e)
		return e
	}
	rejected := claims()
	rejected.Outcome = "rejected"
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"approval-receipt+jwt","kid":"k1"}`))
	for name, c := range map[string]struct {
		token string
		want  receipt.Expected
		text  string
	}{
		"another typ":        {sign(claims(), map[string]any{"typ": "JWT", "kid": "k1"}), expected, "typ"},
		"no typ":             {sign(claims(), map[string]any{"kid": "k1"}), expected, "typ"},
		"an unknown kid":     {sign(claims(), map[string]any{"typ": receipt.Type, "kid": "k9"}), expected, "k9"},
		"no kid":             {sign(claims(), map[string]any{"typ": receipt.Type}), expected, "key"},
		"crit":               {sign(claims(), map[string]any{"typ": receipt.Type, "kid": "k1", "crit": []string{"x"}, "x": 1}), expected, "crit"},
		"alg none":           {none + "." + strings.Split(valid, ".")[1] + ".", expected, "alg"},
		"another issuer":     {valid, with(func(e *receipt.Expected) { e.Issuer = "https://evil.example.org" }), "iss"},
		"the end":            {valid, with(func(e *receipt.Expected) { e.At = at.Add(24 * time.Hour).Truncate(time.Second) }), "ended"},
		"another content":    {valid, with(func(e *receipt.Expected) { e.ContextHash = "sha256:00" }), "context_hash"},
		"another policy":     {valid, with(func(e *receipt.Expected) { e.Policy = "leave" }), "policy"},
		"a rejection":        {sign(rejected, good), expected, "outcome"},
		"no claims":          {sign("text", good), expected, "claims"},
		"two parts":          {strings.Join(strings.Split(valid, ".")[:2], "."), expected, "JWS"},
		"empty":              {"", expected, "JWS"},
		"JSON serialization": {`{"payload":"e30"}`, expected, "JWS"},
		"a line break":       {valid + "\n", expected, "JWS"},
	} {
		if _, err := receipt.Verify(c.token, set, c.want); err == nil || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, c.text)
		}
	}
	before := with(func(e *receipt.Expected) { e.At = at.Add(24 * time.Hour).Truncate(time.Second).Add(-time.Nanosecond) })
	if _, err := receipt.Verify(valid, set, before); err != nil {
		t.Errorf("before the end: %v", err)
	}
	other := setOf(t, keysOf(t, "k1:"+seed(7)))
	if _, err := receipt.Verify(valid, other, expected); err == nil {
		t.Error("another key under the same id verifies the receipt")
	}
	for i := range len(valid) {
		for _, b := range []byte{valid[i] ^ 1, 'Q'} { // the first changes the unused bits of a last character
			changed := valid[:i] + string(b) + valid[i+1:]
			if _, err := receipt.Verify(changed, set, expected); err == nil && changed != valid {
				t.Fatalf("byte %d changed to %c is accepted", i, b)
			}
		}
	}
}

func TestALongReceiptHasTheNumberOfApprovals(t *testing.T) {
	c := claims()
	list := c.Stages[0].Approvals.List
	for len(list) < 1000 {
		list = append(list, list[0])
	}
	c.Stages[0].Approvals.List = list
	keys := keysOf(t, "k1:"+seed(1))
	token, err := keys.Sign(c)
	if err != nil || len(token) > 64<<10 {
		t.Fatalf("%d bytes, %v", len(token), err)
	}
	got, err := receipt.Verify(token, setOf(t, keys), expected)
	if err != nil || !got.Truncated || got.Stages[0].Approvals.Count != 1000 || len(c.Stages[0].Approvals.List) != 1000 {
		t.Errorf("%v %+v", err, got.Stages[0].Approvals)
	}
	if token, _ = keys.Sign(claims()); strings.Contains(token, "truncated") {
		t.Error("a short receipt is truncated")
	}
}

func TestAStatementIsSignedAsAWhole(t *testing.T) {
	keys := keysOf(t, "k1:"+seed(1))
	text, err := keys.SignStatement(claims(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var e struct {
		PayloadType, Payload string
		Signatures           []struct{ KeyID, Sig string }
	}
	if err := json.Unmarshal(text, &e); err != nil {
		t.Fatal(err)
	}
	payload, _ := base64.StdEncoding.DecodeString(e.Payload)
	sig, _ := base64.StdEncoding.DecodeString(e.Signatures[0].Sig)
	public, _ := base64.RawURLEncoding.DecodeString(keys.Public()[0].Value)
	pae := fmt.Sprintf("DSSEv1 %d %s %d %s", len(e.PayloadType), e.PayloadType, len(payload), payload)
	if !ed25519.Verify(public, []byte(pae), sig) || ed25519.Verify(public, payload, sig) {
		t.Error("the signature is not over the pre-authentication encoding of DSSE")
	}
}

func TestBadKeysOfReceiptsAreRefused(t *testing.T) {
	for _, text := range []string{"", "k1", "k1:AAAA", "k1:" + seed(1) + ",k1:" + seed(2), "K1:" + seed(1)} {
		if _, err := receipt.ParseKeys(text); err == nil || strings.Contains(err.Error(), "AAAA") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if got := fmt.Sprintf("%v %+v %#v", keysOf(t, "k1:"+seed(1)), keysOf(t, "k1:"+seed(1)), keysOf(t, "k1:"+seed(1))); strings.Contains(got, "1 2 3") {
		t.Errorf("a key is printed: %s", got)
	}
}

func FuzzVerify(f *testing.F) {
	keys := keysOf(f, "k1:"+seed(1))
	valid, err := keys.Sign(claims())
	if err != nil {
		f.Fatal(err)
	}
	set := setOf(f, keys)
	f.Add(valid)
	f.Add("e30.e30.")
	f.Fuzz(func(t *testing.T, token string) {
		if _, err := receipt.Verify(token, set, expected); err == nil && token != valid {
			t.Errorf("%q is accepted", token)
		}
	})
}

// The document publishes vectors of the canonical form.
func TestTheVectorsOfTheDocumentHold(t *testing.T) {
	page, err := os.ReadFile("../../docs/receipt.md")
	if err != nil {
		t.Fatal(err)
	}
	vectors := regexp.MustCompile("(?m)^\\| `(.*)` \\| `(.*)` \\| `(sha256:.*)` \\|$").FindAllStringSubmatch(string(page), -1)
	for _, v := range vectors {
		form, err := strictjson.Canonical([]byte(v[1]))
		hash, err2 := strictjson.Sum([]byte(v[1]))
		if err != nil || err2 != nil || string(form) != v[2] || hash != v[3] {
			t.Errorf("%s: %s %s, %v %v", v[1], form, hash, err, err2)
		}
	}
	if len(vectors) < 5 {
		t.Errorf("the document has %d vectors", len(vectors))
	}
}

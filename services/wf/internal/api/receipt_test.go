package api_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lestrrat-go/jwx/v2/jwk"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/services/wf/internal/receipt"
	"github.com/countersign/countersign/services/wf/internal/server"
	"github.com/countersign/countersign/services/wf/internal/wftest"
)

const receiptIssuer = "https://approvals.example.org"

// withReceipts starts a service with a key of receipts.
func withReceipts(t *testing.T) *callers {
	t.Helper()
	return boot(t, Options{Config: signing})
}

// signing sets a key of receipts.
func signing(c *server.Config) {
	c.ReceiptKeys, c.ReceiptIssuer = daemon.Secret("k1:"+seal.NewKey()), receiptIssuer
}

// keySet reads the published keys, without a token.
func (w *callers) keySet(t *testing.T) jwk.Set {
	t.Helper()
	reply := w.Anonymous(t).Get("/v1/wf/jwks.json").Want(200)
	same(t, "cached", reply.Header.Get("Cache-Control"), "max-age=300")
	set, err := jwk.Parse(reply.Body)
	must(t, err)
	return set
}

// Example 37.
func TestAReceiptProvesAnApproval(t *testing.T) {
	w := withReceipts(t)
	w.policy("p", `{"validity":{"valid_for":"PT1H"}}`, bothApprove)
	request := w.request("p", `"context":{"amount":900}`)
	path := requestsPath + request.Response("id") + "/receipt"
	w.rita.Get(path).Refused(409, "WF-007")
	w.approve(t, request)

	w.eve.Get(path).Refused(403, "WF-008")
	w.root.Get(requestsPath+unknownID+"/receipt").Refused(404, "WF-003")
	w.vic.Get(requestsPath+"x/receipt").Refused(404, "WF-003")
	want := receipt.Expected{Issuer: receiptIssuer, At: w.Clock.Now(), ContextHash: request.Response("context_hash"), Policy: "p"}
	for name, by := range map[string]*Client{"requester": w.rita, "approver": w.ana, "viewer": w.vic} {
		reply := by.Get(path).Want(200)
		same(t, "key", reply.Response("kid"), "k1")
		c, err := receipt.Verify(reply.Response("receipt"), w.keySet(t), want)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		version := w.root.Get("/v1/wf/policies/p/versions/1")
		same(t, "policy", c.Policy.Key+" "+c.Policy.ContentHash, "p "+version.Response("content_hash"))
		approved := w.root.Get(requestsPath + request.Response("id") + "/events?limit=200")
		types, hashes := approved.Items("type"), approved.Items("hash")
		same(t, "chain", types[c.Chain.Seq-1]+" "+c.Chain.Hash, "request.approved "+hashes[c.Chain.Seq-1])
		same(t, "stages", c.Stages[0].Key+" "+c.Stages[0].Approvals.List[0].Actor+" "+c.Stages[0].Approvals.List[1].Actor, "s ana bo")
	}
	upper := w.rita.Get(requestsPath + strings.ToUpper(request.Response("id")) + "/receipt").Want(200)
	same(t, "key of an id in upper case", upper.Response("kid"), "k1")
	jose := w.rita.Do("GET", path, nil, "Accept", "application/jose")
	same(t, "media type", jose.Header.Get("Content-Type"), "application/jose")
	if _, err := receipt.Verify(string(jose.Body), w.keySet(t), want); err != nil {
		t.Error(err)
	}
	statement := w.rita.Do("GET", path, nil, "Accept", "application/vnd.in-toto+json").Want(200)
	same(t, "statement", statement.Text("payloadType"), "application/vnd.in-toto+json")
	same(t, "default", w.rita.Do("GET", path, nil, "Accept", "text/html, */*").Want(200).Response("kid"), "k1")

	w.Clock.Advance(time.Hour)
	w.rita.Get(path).Refused(409, "WF-007")
	revoked := w.approved(t, "p")
	w.rita.Post(requestsPath+revoked+"/revoke", `{"reason":"x"}`).Want(200)
	w.rita.Get(requestsPath+revoked+"/receipt").Refused(409, "WF-007")
}

// Example 68.
func TestAStatementNamesEachFileByItsPlace(t *testing.T) {
	w := withReceipts(t)
	w.policy("p", "", bothApprove)
	digest := strings.Repeat("ab", 32)
	request := w.request("p", `"attachments":[{"name":"context","url":"https://x.example/x","media_type":"text/plain","sha256":"`+digest+`"},
		{"name":"y","url":"https://x.example/y","media_type":"text/plain"}]`)
	path := requestsPath + request.Response("id")
	w.approve(t, request)
	sent := w.rita.Do("GET", path+"/receipt", nil, "Accept", "application/vnd.in-toto+json").Want(200)
	payload, err := base64.StdEncoding.DecodeString(sent.Text("payload"))
	var statement struct {
		Subject []struct {
			Name   string
			Digest map[string]string
		}
	}
	must(t, errors.Join(err, json.Unmarshal(payload, &statement)))
	content := strings.TrimPrefix(request.Response("context_hash"), "sha256:")
	same(t, "subjects", fmt.Sprint(statement.Subject), fmt.Sprintf("[{context map[sha256:%s]} {attachment/0/context map[sha256:%s]}]", content, digest))
	created := w.ana.Get(path + "/events").Want(200)
	same(t, "the event", created.Response("items", 0, "request", "attachments"), request.Response("attachments"))
	same(t, "verified", w.ana.Get(path+"/events?verify=true").Want(200).Response("verification", "valid"), "true")
	w.Deliver(t)
	for _, message := range w.Receiver.Got() {
		if strings.Contains(string(message.Body), digest) {
			t.Errorf("a message has the digest: %s", message.Body)
		}
	}
}

func TestAConsumptionReturnsTheReceipt(t *testing.T) {
	w := withReceipts(t)
	w.policy("p", `{"single_use":true,"consumers":{"users":["runner"]}}`, bothApprove)
	runner := w.Client(t, "runner")
	id := w.approved(t, "p")
	path, body := requestsPath+id+"/consume", consume(w, id)
	w.rita.Post(path, body).Refused(403, "WF-008")
	used := runner.Post(path, body, "Idempotency-Key", "k").Want(200)
	replays(t, used, runner.Post(path, body, "Idempotency-Key", "k"))
	want := receipt.Expected{Issuer: receiptIssuer, At: w.Clock.Now()}
	c, err := receipt.Verify(used.Response("receipt"), w.keySet(t), want)
	if err != nil || !c.SingleUse || c.ConsumedAt == nil || c.Subject != "urn:uuid:"+id {
		t.Errorf("%v %+v", err, c)
	}
	read := runner.Get(requestsPath + id)
	if strings.Contains(string(read.Body), `"receipt"`) {
		t.Error("a read of the request has a receipt")
	}
	again, err := receipt.Verify(runner.Get(requestsPath+id+"/receipt").Response("receipt"), w.keySet(t), want)
	if err != nil || again.ConsumedAt == nil || again.ID == c.ID {
		t.Errorf("%v %+v", err, again)
	}
}

func TestWithoutAKeyThereAreNoReceipts(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", `{"single_use":true}`, bothApprove)
	id := w.approved(t, "p")
	w.rita.Get(requestsPath+id+"/receipt").Refused(409, "WF-007")
	used := w.rita.Post(requestsPath+id+"/consume", consume(w, id)).Want(200)
	same(t, "receipt", strings.Contains(string(used.Body), `"receipt"`), false)
	same(t, "keys", w.keySet(t).Len(), 0)
}

func TestKeysOfReceiptsAreRotatedAndDistrusted(t *testing.T) {
	database := wftest.Schema.Fresh(t)
	first, second := "k1:"+seal.NewKey(), "k2:"+seal.NewKey()
	w := people(t, Boot(t, Options{URL: database, Config: func(c *server.Config) {
		c.ReceiptKeys, c.ReceiptIssuer = daemon.Secret(first), receiptIssuer
	}}))
	w.policy("p", "", bothApprove)
	id := w.approved(t, "p")
	token := w.rita.Get(requestsPath + id + "/receipt").Response("receipt")
	want := receipt.Expected{Issuer: receiptIssuer, At: w.Clock.Now()}

	next := people(t, Boot(t, Options{URL: database, Network: &egress.Policy{}, Config: func(c *server.Config) {
		c.ReceiptKeys, c.ReceiptIssuer = daemon.Secret(second), receiptIssuer
	}}))
	if _, err := receipt.Verify(token, next.keySet(t), want); err != nil {
		t.Errorf("the receipt of a former key: %v", err)
	}
	same(t, "key", next.rita.Get(requestsPath+id+"/receipt").Response("kid"), "k2")

	if _, err := server.DistrustKey(t.Context(), w.DB, "k1"); err != nil {
		t.Fatal(err)
	}
	if _, err := receipt.Verify(token, next.keySet(t), want); err == nil || !strings.Contains(err.Error(), "k1") {
		t.Errorf("the receipt of a distrusted key: %v", err)
	}
	for _, id := range []string{"k1", "k9"} {
		if _, err := server.DistrustKey(t.Context(), w.DB, id); err == nil {
			t.Errorf("key %s is distrusted again", id)
		}
	}
	for name, keys := range map[string]string{"distrusted": first, "another key": "k2:" + seal.NewKey()} {
		config := next.Config
		config.ReceiptKeys = daemon.Secret(keys)
		s, err := server.New(config, slog.New(slog.DiscardHandler))
		must(t, err)
		if err := s.Open(t.Context(), w.DB); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: a start with it returns %v", name, err)
		}
	}
}

func TestTheLastCheckpointIsReadByViewers(t *testing.T) {
	w := withReceipts(t)
	const path = "/v1/wf/checkpoint"
	w.vic.Get(path).Refused(409, "WF-007")
	w.policy("p", "", bothApprove)
	w.request("p", "")
	must(t, w.Engine.Audit.MakeCheckpoint(t.Context(), time.Minute))
	w.rita.Get(path).Refused(403, "WF-008")
	reply := w.vic.Get(path).Want(200)
	c, err := receipt.VerifyCheckpoint(reply.Response("checkpoint"), w.keySet(t), receiptIssuer)
	must(t, err)
	same(t, "seq", reply.Response("seq"), strconv.FormatInt(c.Seq, 10))
	same(t, "at", reply.Response("at"), w.Clock.Now().UTC().Format("2006-01-02T15:04:05.000Z"))
	last := w.root.Get("/v1/wf/admin/audit?type=audit.checkpoint&chain=service").Want(200)
	same(t, "hash", last.Response("items", 0, "hash"), c.Hash)
	same(t, "listed seq", last.Response("items", 0, "checkpoint", "ends", 0, 1), "4")
}

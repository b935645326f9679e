package main

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func TestAReceiverTakesEachWebhookOnceAtEachEndpoint(t *testing.T) {
	for name, tt := range map[string]struct {
		posts [][2]string // endpoint and id
		forge bool
		want  string // error
	}{
		"two at one endpoint and one at another": {[][2]string{{"0", "a"}, {"0", "b"}, {"1", "a"}}, false, ""},
		"one that comes twice":                   {[][2]string{{"0", "a"}, {"0", "b"}, {"0", "a"}}, false, "twice"},
		"one that does not come":                 {[][2]string{{"0", "a"}, {"0", "b"}}, false, "2 webhooks came, of 3"},
		"one more than there should be":          {[][2]string{{"0", "a"}, {"0", "b"}, {"0", "c"}, {"0", "d"}}, false, "4 webhooks came, of 3"},
		"one with another body than was signed":  {[][2]string{{"0", "a"}, {"0", "b"}, {"1", "a"}}, true, "a webhook was refused"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := newReceiver(2)
			if err != nil {
				t.Fatal(err)
			}
			defer r.close()
			r.expect(3)
			for _, p := range tt.posts {
				n, err := strconv.Atoi(p[0])
				if err != nil {
					t.Fatal(err)
				}
				send(t, signed(t, r, n, p[1]), tt.forge)
			}
			ended, cancel := context.WithCancel(t.Context())
			cancel() // nothing more will come
			posts, err := r.all(ended)
			if tt.want == "" && (err != nil || len(posts) != 3) {
				t.Errorf("all() = %d posts, %v", len(posts), err)
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("all() = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestBarePostsAreTheMessagesThatCameBefore(t *testing.T) {
	r, err := newReceiver(2)
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	var before []post
	for i := range 2 * inFlight {
		before = append(before, signed(t, r, i%2, strconv.Itoa(i)))
	}
	after, err := bare(t.Context(), r, before)
	if err != nil || len(after) != len(before) {
		t.Errorf("bare() = %d posts, %v", len(after), err)
	}
	before[0].body = []byte("another")
	if _, err := bare(t.Context(), r, before[:1]); err == nil {
		t.Error("bare() does not tell that a post was refused")
	}
}

func TestAHoleAcceptsConnectionsAndDoesNotAnswer(t *testing.T) {
	h, err := newHole()
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := http.DefaultClient.Do(req)
		ended <- err
	}()
	if err := h.used(t.Context()); err != nil {
		t.Fatal(err)
	}
	if most := h.most(); most != 1 {
		t.Errorf("most() = %d, want 1", most)
	}
	h.close()
	if err := <-ended; err == nil {
		t.Error("it has answered")
	}
}

func TestAConnectionThatIsClosingIsNotCounted(t *testing.T) {
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	open := func(begin, end time.Duration) *caught {
		c := &caught{begin: noon.Add(begin)}
		if end > 0 {
			c.end = noon.Add(end)
		}
		return c
	}
	for name, tt := range map[string]struct {
		conns []*caught
		want  int
	}{
		"none":                                 {nil, 0},
		"one that is open":                     {[]*caught{open(0, 0)}, 1},
		"one that was short":                   {[]*caught{open(0, time.Millisecond)}, 1},
		"two that are open":                    {[]*caught{open(0, 0), open(time.Second, 0)}, 2},
		"one after the other":                  {[]*caught{open(0, time.Second), open(time.Minute, 0)}, 1},
		"one that begins while another closes": {[]*caught{open(0, time.Minute), open(time.Minute-closing/2, 0)}, 1},
		"one that begins before it closes":     {[]*caught{open(0, time.Minute), open(time.Minute-2*closing, 0)}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			h := hole{conns: tt.conns}
			if got := h.most(); got != tt.want {
				t.Errorf("most() = %d, want %d", got, tt.want)
			}
		})
	}
}

// signed is a webhook for an endpoint as wf would send it.
func signed(t *testing.T, r *receiver, endpoint int, id string) post {
	t.Helper()
	key, err := standardwebhooks.NewWebhook(r.secret)
	if err != nil {
		t.Fatal(err)
	}
	p := post{url: r.urls[endpoint], header: http.Header{}, body: []byte(`{"type":"request.created"}`)}
	now := time.Now()
	signature, err := key.Sign(id, now, p.body)
	if err != nil {
		t.Fatal(err)
	}
	p.header.Set(standardwebhooks.HeaderWebhookID, id)
	p.header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	p.header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	return p
}

// send posts a webhook, with a space added when it is to be a forgery.
func send(t *testing.T, p post, forge bool) {
	t.Helper()
	if forge {
		p.body = append(bytes.Clone(p.body), ' ')
	}
	err := repost(t.Context(), http.DefaultClient, p)
	if forge != (err != nil) {
		t.Errorf("the receiver answered a post that is forged (%t): %v", forge, err)
	}
}

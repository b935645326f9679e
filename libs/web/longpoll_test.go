package web_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/libs/web"
)

// polling is a desk with the operation GET /poll, which blocks until its context ends.
type polling struct {
	*desk
	url     string
	waiting chan struct{} // receives for each waiting call
}

func newPolling(t *testing.T, o func(*web.Options)) *polling {
	t.Helper()
	p := &polling{desk: newDesk(t, o), waiting: make(chan struct{}, 100)}
	type input struct {
		Seconds int `query:"seconds"`
	}
	op := web.Operation{"poll", "GET", "/poll", web.Access{Token: true}, 200, nil, "Poll"}
	web.Register(p.server, op, &huma.Schema{Type: huma.TypeString}, func(ctx context.Context, in *input) (*struct{ Body string }, error) {
		most := time.Duration(in.Seconds) * time.Second
		rest, waited := web.LongPoll(ctx, most, func(ctx context.Context) {
			if at, ok := ctx.Deadline(); !ok || time.Until(at) > most {
				t.Errorf("a wait of at most %s ends at %s", most, at)
			}
			p.waiting <- struct{}{}
			<-ctx.Done()
		})
		return &struct{ Body string }{strconv.FormatBool(waited)}, rest.Err()
	})
	server := httptest.NewUnstartedServer(p.server)
	server.Config.ReadTimeout, server.Config.WriteTimeout = brief, brief
	server.Config.ReadHeaderTimeout = time.Minute // the machine may be slow
	server.Start()
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

// poll returns the reply to a poll: true or false for LongPoll's, otherwise the failure.
func (p *polling) poll(ctx context.Context, subject string, seconds int) string {
	request := p.request(ctx, subject, "GET", p.url+"/poll?seconds="+strconv.Itoa(seconds), nil)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return response.Status
	}
	var reply string
	if err := json.NewDecoder(response.Body).Decode(&reply); err != nil {
		return err.Error()
	}
	return reply
}

func TestALongPollHoldsNoSlotAndNoLimitOfOtherCallsEndsIt(t *testing.T) {
	p := newPolling(t, func(o *web.Options) { o.MaxInFlight, o.MaxLongPolls = 1, 2 })
	var done sync.WaitGroup
	for range 2 {
		done.Go(func() {
			if got := p.poll(t.Context(), "ann", 1); got != "true" {
				t.Errorf("after a wait of a second: %s", got)
			}
		})
		<-p.waiting
	}
	p.expect(p.call("bob", "GET", "/read", ""), http.StatusOK)
	if got := p.poll(t.Context(), "cat", 60); got != "false" {
		t.Errorf("above MaxLongPolls: %s", got)
	}
	done.Wait()
}

func TestASubjectHasTwentyLongPolls(t *testing.T) {
	p := newPolling(t, func(o *web.Options) { o.MaxLongPolls = 100 })
	ctx, hangUp := context.WithCancel(t.Context())
	var done sync.WaitGroup
	for range 20 {
		done.Go(func() { p.poll(ctx, "ann", 3600) })
		<-p.waiting
	}
	if got := p.poll(t.Context(), "ann", 60); got != "false" {
		t.Errorf("the 21st of a subject: %s", got)
	}
	if got := p.poll(t.Context(), "bob", 1); got != "true" {
		t.Errorf("another subject: %s", got)
	}
	<-p.waiting
	hangUp()
	done.Wait()
	// A place is free again once the server has noticed the end of a connection.
	timetest.Eventually(t, "a place is free", func() bool { return p.poll(t.Context(), "ann", 0) == "true" })
}

func TestADrainEndsLongPolls(t *testing.T) {
	p := newPolling(t, func(o *web.Options) { o.MaxLongPolls = 2 })
	reply := make(chan string)
	go func() { reply <- p.poll(t.Context(), "ann", 60) }()
	<-p.waiting
	p.server.Drain()
	if got := <-reply; got != "true" {
		t.Errorf("at the drain: %s", got)
	}
	if got := p.poll(t.Context(), "ann", 60); got != "true" {
		t.Errorf("after the drain: %s", got)
	}
}

package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/logtest"
	"github.com/countersign/countersign/libs/web"
)

// brief is the time limit of reads and writes in these tests.
const brief = 50 * time.Millisecond

// streaming serves write at /stream, and the context of Long at /long.
func streaming(t *testing.T, log *logtest.Log, write func(context.Context, io.Writer) error) string {
	t.Helper()
	url, _ := streams(t, log, write)
	return url
}

// streams is streaming with the server.
func streams(t *testing.T, log *logtest.Log, write func(context.Context, io.Writer) error) (string, *web.Server) {
	t.Helper()
	s := running(web.Options{Title: "Streams", Version: "1", Failure: refuse, Long: []string{"stream", "long"}, Logger: log.Logger()})
	huma.Register(s.API, huma.Operation{OperationID: "stream", Method: "GET", Path: "/stream"},
		func(ctx context.Context, _ *struct{}) (*huma.StreamResponse, error) {
			return &huma.StreamResponse{Body: func(ctx huma.Context) { web.Stream(ctx, "application/x-ndjson", write) }}, web.BeginLong(ctx)
		})
	huma.Register(s.API, huma.Operation{OperationID: "long", Method: "GET", Path: "/long"},
		func(ctx context.Context, _ *struct{}) (*struct{ Body string }, error) {
			if err := web.BeginLong(ctx); err != nil {
				return nil, err
			}
			long, cancel := web.ExtendDeadline(ctx)
			defer cancel()
			return &struct{ Body string }{web.RequestID(long)}, write(long, io.Discard)
		})
	ts := httptest.NewUnstartedServer(s)
	ts.Config.ReadTimeout, ts.Config.WriteTimeout = brief, brief
	ts.Config.ReadHeaderTimeout = time.Minute // the machine may be slow
	ts.Start()
	t.Cleanup(ts.Close)
	return ts.URL, s
}

func fetch(t *testing.T, ctx context.Context, url string) (*http.Response, string, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Request-Id", "call-1")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response, string(body), err
}

func TestAStreamMayTakeLongerThanTheServerAllowsOtherCalls(t *testing.T) {
	log := &logtest.Log{}
	url := streaming(t, log, func(ctx context.Context, w io.Writer) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(4 * brief):
		}
		_, err := io.WriteString(w, strings.Repeat("line\n", 100_000))
		return err
	})
	response, body, err := fetch(t, t.Context(), url+"/stream")
	if err != nil || len(body) != 500_000 || response.Header.Get("Content-Type") != "application/x-ndjson" || response.StatusCode != 200 {
		t.Errorf("%d bytes, %v, %v\n%s", len(body), response, err, log)
	}
	if _, body, err := fetch(t, t.Context(), url+"/long"); err != nil || body != `"call-1"` {
		t.Errorf("%s, %v\n%s", body, err, log)
	}
}

func TestAStreamThatFailsIsCutAndLogged(t *testing.T) {
	log := &logtest.Log{}
	url := streaming(t, log, func(_ context.Context, w io.Writer) error {
		_, _ = io.WriteString(w, strings.Repeat("line\n", 100_000))
		return errors.New("the database went away")
	})
	if _, body, err := fetch(t, t.Context(), url+"/stream"); err == nil {
		t.Errorf("%d bytes, and no error", len(body))
	}
	if !strings.Contains(log.String(), "the database went away") {
		t.Errorf("the log has no reason: %s", log)
	}
}

func TestALongCallEndsWithItsCaller(t *testing.T) {
	began, ended := make(chan struct{}), make(chan error, 1)
	url := streaming(t, &logtest.Log{}, func(ctx context.Context, _ io.Writer) error {
		close(began)
		<-ctx.Done()
		ended <- ctx.Err()
		return ctx.Err()
	})
	ctx, hangUp := context.WithCancel(t.Context())
	go func() { <-began; hangUp() }()
	if _, _, err := fetch(t, ctx, url+"/stream"); err == nil {
		t.Error("no error")
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

// A part of an export must not be taken for the whole.
func TestLongCallsAreCutWhenTheServiceStops(t *testing.T) {
	log, began := &logtest.Log{}, make(chan struct{}, 1)
	url, server := streams(t, log, func(ctx context.Context, w io.Writer) error {
		_, _ = io.WriteString(w, strings.Repeat("line\n", 100_000))
		began <- struct{}{}
		<-ctx.Done()
		return errors.New("export after 7 events: " + ctx.Err().Error())
	})
	go func() { <-began; server.EndLong() }()
	if _, body, err := fetch(t, t.Context(), url+"/stream"); err == nil {
		t.Errorf("%d bytes, and no error", len(body))
	}
	if !strings.Contains(log.String(), "stream cut") || !strings.Contains(log.String(), "the service is stopping") {
		t.Errorf("the log has no reason: %s", log)
	}
	if _, body, err := fetch(t, t.Context(), url+"/stream"); err == nil {
		t.Errorf("begun too late: %d bytes, and no error", len(body))
	}
}

func TestABodyThatIsReadAsItComesIsBoundedAndOfItsMediaType(t *testing.T) {
	log := &logtest.Log{}
	s := running(web.Options{Title: "Streams", Version: "1", Failure: refuse, Long: []string{"take"}, MaxBody: 10, Logger: log.Logger()})
	type got struct{ Body json.RawMessage }
	op := huma.Operation{OperationID: "take", Method: "POST", Path: "/take", Metadata: map[string]any{}}
	web.TakesStream("application/x-ndjson", "Lines.", "x", 100)(&op)
	huma.Register(s.API, op, func(ctx context.Context, _ *struct{}) (*got, error) {
		if err := web.BeginLong(ctx); err != nil {
			return nil, err
		}
		_, end := web.ExtendDeadline(ctx)
		defer end()
		read, err := io.ReadAll(web.RequestBody(ctx))
		if err != nil {
			return nil, refuse(ctx, web.Operation{ID: "take"}, err)
		}
		return &got{json.RawMessage(strconv.Itoa(len(read)))}, nil
	})
	listening := httptest.NewServer(s)
	defer listening.Close()
	for _, tt := range []struct {
		media, body string
		status      int
		want        string
	}{
		{"application/x-ndjson", strings.Repeat("x", 100), 200, "100"}, // longer than other bodies
		{"application/x-ndjson; charset=utf-8", "", 200, "0"},
		{"application/x-ndjson", strings.Repeat("x", 101), 413, ""},
		{"application/json", "{}", 415, ""},
		{"", "x", 415, ""},
	} {
		r, err := http.Post(listening.URL+"/take", tt.media, strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		_ = r.Body.Close()
		if err != nil || r.StatusCode != tt.status || tt.want != "" && string(text) != tt.want {
			t.Errorf("%d bytes of %q: %d %s, %v", len(tt.body), tt.media, r.StatusCode, text, err)
		}
	}
}

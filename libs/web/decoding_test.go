package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

func TestABodyWaitsForTheCapacityToDecodeIt(t *testing.T) {
	s := New(Options{Failure: func(context.Context, Operation, error) error { return Refuse(503, "", "busy", nil) }})
	type input struct {
		Body struct {
			Name string `json:"name"`
		}
	}
	handle := func(context.Context, *input) (*struct{}, error) { return nil, nil }
	huma.Register(s.API, huma.Operation{OperationID: "write", Method: "POST", Path: "/write", DefaultStatus: 200}, handle)
	s.Start(Database{Writable: func() error { return nil }, Ping: func(context.Context) error { return nil }})
	call := func(ctx context.Context) int {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/write", strings.NewReader(`{"name":"a"}`))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Code
	}
	if err := s.decoders.Acquire(t.Context(), decodedBytes); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if status := call(short); status != 503 {
		t.Errorf("without capacity: %d", status)
	}
	s.decoders.Release(decodedBytes)
	if status := call(t.Context()); status != 200 {
		t.Errorf("with capacity: %d", status)
	}
	if !s.decoders.TryAcquire(decodedBytes) {
		t.Error("the calls did not return their capacity")
	}
}

package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/countersign/countersign/test/demo/story"
	"github.com/countersign/countersign/test/programs"
)

func TestTheStoryHoldsAgainstTheRealPrograms(t *testing.T) {
	dir := t.TempDir()
	wf := programs.Start(t, programs.Build(t, "wf"), "WF_LISTEN", dir)
	registrar := programs.Start(t, programs.Build(t, "oidc-registrar"), "REGISTRAR_LISTEN", dir, "REGISTRAR_APPROVAL_URL="+wf)
	for _, name := range []string{"a fresh database", "the same database again"} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := story.Run(t.Context(), &out, story.Options{WF: wf, Registrar: registrar, Data: filepath.Join(dir, ".data")}); err != nil {
				t.Fatalf("%v\n%s", err, &out)
			}
		})
	}
}

func TestAStoryThatGoesWrongNamesTheStep(t *testing.T) {
	for name, tt := range map[string]struct {
		answer string
		want   string
	}{
		"health is another status": {`{"response":{"status":"DOWN"},"errors":[]}`, `step 1 (Check the health of the service): status is "DOWN", want "UP"`},
		"an answer is not JSON":    {`<html>`, `step 1 (Check the health of the service): read the answer "<html>"`},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Write([]byte(tt.answer))
			}))
			defer server.Close()
			var out bytes.Buffer
			err := story.Run(t.Context(), &out, story.Options{WF: server.URL, Data: t.TempDir()})
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("Run() = %v, want %s…", err, tt.want)
			}
		})
	}
}

func TestStoryReportsHowToStartMissingService(t *testing.T) {
	var out bytes.Buffer
	err := story.Run(t.Context(), &out, story.Options{WF: "http://" + programs.FreeAddress(t), Data: t.TempDir()})
	if want := "step 1 (Check the health of the service): no reply; make run starts the services: "; err == nil ||
		!strings.HasPrefix(err.Error(), want) {
		t.Errorf("Run() = %v, want %s…", err, want)
	}
}

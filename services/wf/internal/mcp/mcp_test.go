package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/wf/internal/mcp"
)

type echoInput struct {
	Value json.RawMessage `json:"value"`
	Text  string          `json:"text,omitempty" maxLength:"3"`
	N     int             `json:"n,omitempty" minimum:"1" maximum:"5"`
}

type echoOutput struct {
	Value json.RawMessage `json:"value"`
}

type key struct{}

func TestATool(t *testing.T) {
	outcomes := ""
	server := mcp.New("test", "1", "", func(ctx context.Context, tool string, err error) (code, message string) {
		if ctx.Value(key{}) != "caller" || ctx.Err() == nil {
			t.Error("the outcome has another context than the call")
		}
		if err == nil {
			outcomes += tool + " "
			return "", ""
		}
		var invalid mcp.InvalidArguments
		if errors.As(err, &invalid) {
			return "invalid", err.Error()
		}
		return "failed", err.Error()
	}, mcp.NewTool("echo", "", func(ctx context.Context, in echoInput) (echoOutput, error) {
		if ctx.Err() == nil {
			t.Error("the tool has another context than the call")
		}
		switch in.Text {
		case "":
			return echoOutput{in.Value}, nil
		case "err":
			return echoOutput{}, errors.New("no echo")
		case "bad":
			return echoOutput{json.RawMessage("{")}, nil
		default:
			panic("no echo at all")
		}
	}))
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "caller"))
	cancel() // the end of the call is that of the tool, and the protocol does not end before
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"*/*"}}
	for arguments, want := range map[string]string{
		`{"value":{"n":12345678901234567890.10}}`: `"structuredContent":{"value":{"n":12345678901234567890.10}}`,
		`{"value":{},"text":"err"}`:               `\"errorCode\":\"failed\",\"message\":\"no echo\"`,
		`{"value":{},"text":"bad"}`:               `\"errorCode\":\"failed\"`,
		`{"value":{},"text":"pan"}`:               `\"message\":\"panic in tool echo: no echo at all\"`,
		`{"value":{},"text":"long"}`:              `\"errorCode\":\"invalid\"`,
		`{"value":{},"n":6}`:                      `\"errorCode\":\"invalid\"`,
		`{"value":{},"n":1.5}`:                    `\"errorCode\":\"invalid\"`,
		`{"value":null}`:                          `\"errorCode\":\"invalid\"`,
		`{"value":7}`:                             `\"errorCode\":\"invalid\"`,
		`{"value":{},"VALUE":{}}`:                 `\"errorCode\":\"invalid\"`,
		`{}`:                                      `\"errorCode\":\"invalid\"`,
	} {
		reply := server.Serve(ctx, header, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":`+arguments+`}}`))
		if reply.Status != 200 || !strings.Contains(string(reply.Body), want) || strings.Contains(string(reply.Body), `"error":`) {
			t.Errorf("%s: %d %s", arguments, reply.Status, reply.Body)
		}
		if failed := !strings.Contains(want, "structured"); failed != strings.Contains(string(reply.Body), `"isError":true`) {
			t.Errorf("%s: %s", arguments, reply.Body)
		}
	}
	if outcomes != "echo " {
		t.Errorf("successes %q", outcomes)
	}
	reply := server.Serve(ctx, header, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	for _, part := range []string{`"maxLength":3`, `"minimum":1`, `"maximum":5`, `"required":["value"]`, `"additionalProperties":false`} {
		if !strings.Contains(string(reply.Body), part) {
			t.Errorf("no %s in %s", part, reply.Body)
		}
	}
}

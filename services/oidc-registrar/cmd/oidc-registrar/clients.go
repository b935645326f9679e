package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/daemon"
)

// remote is the address of a running service and a token for it.
type remote struct {
	URL   string        `env:"URL" default:"http://${listen}" help:"Address of the service."`
	Token daemon.Secret `env:"TOKEN" required:"" help:"Access token of a caller with the rights for the call."`
}

// callTimeout exceeds the duration of a call to the identity provider.
const callTimeout = 30 * time.Second

// maxReply is the maximum size of a reply in bytes.
const maxReply = 16 << 20

// call makes a call and returns the response member of its reply. A refusal is an error with its
// code.
func (r remote) call(ctx context.Context, method, path string, body any) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var content bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&content).Encode(body); err != nil {
			return nil, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(r.URL, "/")+path, &content)
	if err != nil {
		return nil, fmt.Errorf("REGISTRAR_URL: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+string(r.Token))
	request.Header.Set("Content-Type", "application/json")
	reply, err := http.DefaultClient.Do(request) // #nosec G107 G704 -- the operator's own service
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	data, err := io.ReadAll(io.LimitReader(reply.Body, maxReply))
	if err != nil {
		return nil, err
	}
	var envelope struct {
		Response json.RawMessage `json:"response"`
		Errors   []struct {
			Code         string `json:"errorCode"`
			Message      string `json:"message"`
			ErrorMessage string `json:"errorMessage"`
		} `json:"errors"`
	}
	switch err := json.Unmarshal(data, &envelope); {
	case err != nil:
		return nil, fmt.Errorf("status %d with a reply that is not JSON", reply.StatusCode)
	case len(envelope.Errors) > 0:
		e := envelope.Errors[0]
		return nil, fmt.Errorf("status %d: %s: %s%s", reply.StatusCode, e.Code, e.Message, e.ErrorMessage)
	case reply.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("status %d", reply.StatusCode)
	}
	return envelope.Response, nil
}

// pages calls each for every item of a list.
func (r remote) pages(ctx context.Context, path string, query url.Values, each func(json.RawMessage) error) error {
	for {
		response, err := r.call(ctx, http.MethodGet, path+"?"+query.Encode(), nil)
		if err != nil {
			return err
		}
		var page struct {
			Items      []json.RawMessage `json:"items"`
			NextCursor string            `json:"nextCursor"`
		}
		if err := json.Unmarshal(response, &page); err != nil {
			return err
		}
		for _, item := range page.Items {
			if err := each(item); err != nil {
				return err
			}
		}
		if page.NextCursor == "" {
			return nil
		}
		query.Set("cursor", page.NextCursor)
	}
}

const clientsPath = "/v1/partnermanager/oidc/client"

type clientsCommand struct {
	remote
	Partner string `help:"Clients of this partner."`
	Status  string `help:"Clients with this status: ACTIVE, INACTIVE, PENDING or FAILED."`
	Query   string `short:"q" help:"Part of the id or the name."`
}

// Run prints a line for each client: id, status, unknown outcome, partner and name.
func (c *clientsCommand) Run(w *daemon.Process) error {
	query := url.Values{"limit": {"200"}}
	for name, value := range map[string]string{"authPartnerId": c.Partner, "status": c.Status, "q": c.Query} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return c.pages(w.Context, clientsPath, query, func(item json.RawMessage) error {
		var client struct {
			ClientID, Status, AuthPartnerID, Name string
			OutcomeUnknown                        bool `json:"doubtful"`
		}
		if err := json.Unmarshal(item, &client); err != nil {
			return err
		}
		if client.OutcomeUnknown {
			client.Status += " (doubtful)"
		}
		_, err := fmt.Fprintf(w.Out, "%s\t%s\t%s\t%s\n", client.ClientID, client.Status, client.AuthPartnerID, client.Name)
		return err
	})
}

type showCommand struct {
	remote
	ID string `arg:"" help:"Identifier of the client."`
}

// Run prints the client as JSON.
func (c *showCommand) Run(w *daemon.Process) error {
	response, err := c.call(w.Context, http.MethodGet, clientsPath+"/"+url.PathEscape(c.ID), nil)
	if err != nil {
		return err
	}
	return printJSON(w.Out, response)
}

type eventsCommand struct {
	remote
	ID string `arg:"" help:"Identifier of the client."`
}

// Run prints the events of the client as JSON, one on a line, the oldest first.
func (c *eventsCommand) Run(w *daemon.Process) error {
	path := clientsPath + "/" + url.PathEscape(c.ID) + "/events"
	return c.pages(w.Context, path, url.Values{"limit": {"200"}}, func(item json.RawMessage) error {
		_, err := fmt.Fprintf(w.Out, "%s\n", item)
		return err
	})
}

type disableCommand struct {
	remote
	ID     string `arg:"" help:"Identifier of the client."`
	Reason string `required:"" help:"Reason for the audit trail: 1 to 500 characters."`
}

// Run disables the client and prints its status.
func (c *disableCommand) Run(w *daemon.Process) error {
	body := map[string]any{"request": map[string]any{"reason": c.Reason}}
	response, err := c.call(w.Context, http.MethodPost, "/v1/registrar/clients/"+url.PathEscape(c.ID)+"/disable", body)
	if err != nil {
		return err
	}
	return printJSON(w.Out, response)
}

func printJSON(out io.Writer, data json.RawMessage) error {
	var indented bytes.Buffer
	if err := json.Indent(&indented, data, "", "  "); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, indented.String())
	return err
}

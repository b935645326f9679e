// Command user calls the services with clients of oapi-codegen.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	"example.org/user/registrar"
	"example.org/user/wf"
)

func main() {
	log.SetFlags(0)
	if err := approve(context.Background()); err != nil {
		log.Fatal("wf: ", err)
	}
	if err := register(context.Background()); err != nil {
		log.Fatal("registrar: ", err)
	}
}

// as makes the calls those of a person.
func as(name string) func(context.Context, *http.Request) error {
	return func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+os.Getenv(name))
		return nil
	}
}

// approve creates a request, decides it and reads it.
func approve(ctx context.Context) error {
	c, err := wf.NewClientWithResponses(os.Getenv("WF_URL"))
	if err != nil {
		return err
	}
	key := os.Getenv("CLIENT")
	var rule wf.Rule
	if err := rule.FromUserRule(wf.UserRule{Ids: &[]string{"ana"}}); err != nil {
		return err
	}
	policy, err := c.CreatePolicyWithResponse(ctx, wf.CreatePolicyInputBody{
		PolicyKey: key, Name: "Generated", Stages: []wf.Stage{{Key: "check", Name: "Check", Approvers: []wf.Rule{rule}}},
	}, as("ROOT"))
	if err != nil || policy.JSON201 == nil {
		return fmt.Errorf("create policy: %w %s", err, policy.Body)
	}
	active, err := c.ActivateVersionWithResponse(ctx, key, "1", nil, wf.ActivateVersionInputBody{}, as("ROOT"))
	if err != nil || active.JSON200 == nil || active.JSON200.Response.Status != "active" {
		return fmt.Errorf("activate: %w %s", err, active.Body)
	}
	made, err := c.CreateRequestWithResponse(ctx, nil, wf.CreateRequestInputBody{
		PolicyKey: key, Context: &map[string]any{"amount": 7}, Labels: &map[string]string{"client": key},
	}, as("RITA"))
	if err != nil || made.JSON201 == nil || len(made.JSON201.Response.Tasks) != 1 || made.JSON201.Response.CompletedAt != nil {
		return fmt.Errorf("create request: %w %s", err, made.Body)
	}
	request := made.JSON201.Response
	if person := request.Tasks[0].Assignee; person == nil || person.Id != "ana" {
		return fmt.Errorf("the assignee is %+v", person)
	}
	decided, err := c.DecideTaskWithResponse(
		ctx,
		request.Tasks[0].Id,
		nil,
		wf.DecideTaskInputBody{Action: wf.DecideTaskInputBodyActionApprove},
		as("ANA"),
	)
	if err != nil || decided.JSON200 == nil {
		return fmt.Errorf("decide: %w %s", err, decided.Body)
	}
	read, err := c.GetRequestWithResponse(ctx, request.Id, nil, as("RITA"))
	if err != nil || read.JSON200 == nil || read.JSON200.Response.Status != "approved" || read.JSON200.Response.CompletedAt == nil {
		return fmt.Errorf("read: %w %s", err, read.Body)
	}
	for value, want := range map[string]int{key: 1, "other": 0} {
		list, err := c.ListRequestsWithResponse(ctx, &wf.ListRequestsParams{Labels: &map[string]string{"label.client": value}}, as("RITA"))
		if err != nil || list.JSON200 == nil || len(list.JSON200.Response.Items) != want {
			return fmt.Errorf("list by label %s: %w %s", value, err, list.Body)
		}
	}
	again, err := c.DecideTaskWithResponse(ctx, request.Tasks[0].Id, nil, wf.DecideTaskInputBody{Action: wf.DecideTaskInputBodyActionApprove}, as("ANA"))
	if err != nil || again.JSON409 == nil || again.JSON409.Errors[0].ErrorCode != "WF-007" {
		return fmt.Errorf("decide again: %w %s", err, again.Body)
	}
	return nil
}

// register registers a client, reads it and is refused another with the same key.
func register(ctx context.Context) error {
	c, err := registrar.NewClientWithResponses(os.Getenv("REGISTRAR_URL"))
	if err != nil {
		return err
	}
	var key map[string]any
	if err := json.Unmarshal([]byte(os.Getenv("CLIENT_KEY")), &key); err != nil {
		return err
	}
	body := registrar.PartnerBodyPartnerRegistration{Request: registrar.PartnerRegistration{
		Name: "Portal", PolicyId: "demo-policy", AuthPartnerId: "demo-partner", PublicKey: key, LogoUri: "https://rp.example.org/logo.png",
		RedirectUris: []string{"https://rp.example.org/cb"}, GrantTypes: []string{"authorization_code"}, ClientAuthMethods: []string{"private_key_jwt"},
	}}
	made, err := c.RegisterPartnerClientWithResponse(ctx, body, as("PARTNER"))
	if err != nil || made.JSON200 == nil || made.JSON200.Response == nil || len(made.JSON200.Errors) != 0 {
		return fmt.Errorf("register: %w %s", err, made.Body)
	}
	read, err := c.GetPartnerClientWithResponse(ctx, made.JSON200.Response.ClientId, as("PARTNER"))
	if err != nil || read.JSON200 == nil || read.JSON200.Response == nil || read.JSON200.Response.Name != "Portal" {
		return fmt.Errorf("read: %w %s", err, read.Body)
	}
	body.Request.Name = "Another portal"
	again, err := c.RegisterPartnerClientWithResponse(ctx, body, as("PARTNER"))
	if err != nil || again.JSON200 == nil || again.JSON200.Response != nil || again.JSON200.Errors[0].ErrorCode != "PMS_IDP_001" {
		return fmt.Errorf("register another: %w %s", err, again.Body)
	}
	return nil
}

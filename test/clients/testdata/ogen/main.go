// Command user calls the registrar with a client of ogen.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"example.org/user/registrar"
)

func main() {
	log.SetFlags(0)
	if err := register(context.Background()); err != nil {
		log.Fatal("registrar: ", err)
	}
}

type caller struct{}

func (caller) Bearer(context.Context, registrar.OperationName) (registrar.Bearer, error) {
	return registrar.Bearer{Token: os.Getenv("PARTNER")}, nil
}

// register registers a client, reads it and is refused another with the same key.
func register(ctx context.Context) error {
	c, err := registrar.NewClient(os.Getenv("REGISTRAR_URL"), caller{})
	if err != nil {
		return err
	}
	var key registrar.PartnerRegistrationPublicKey
	if err := json.Unmarshal([]byte(os.Getenv("CLIENT_KEY")), &key); err != nil {
		return err
	}
	body := &registrar.PartnerBodyPartnerRegistration{Request: registrar.PartnerRegistration{
		Name: "Portal", PolicyId: "demo-policy", AuthPartnerId: "demo-partner", PublicKey: key, LogoUri: "https://rp.example.org/logo.png",
		RedirectUris: []string{"https://rp.example.org/cb"}, GrantTypes: []string{"authorization_code"}, ClientAuthMethods: []string{"private_key_jwt"},
	}}
	made, err := c.RegisterPartnerClient(ctx, body)
	if err != nil {
		return fmt.Errorf("register: %w", err)
	}
	status, ok := made.(*registrar.PartnerReplyClientStatus)
	if !ok || status.Response.Null || len(status.Errors) != 0 {
		return fmt.Errorf("register: %+v", made)
	}
	read, err := c.GetPartnerClient(ctx, registrar.GetPartnerClientParams{ClientID: status.Response.Value.ClientId})
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	if client, ok := read.(*registrar.PartnerReplyPartnerClientView); !ok || client.Response.Null || client.Response.Value.Name != "Portal" {
		return fmt.Errorf("read: %+v", read)
	}
	body.Request.Name = "Another portal"
	again, err := c.RegisterPartnerClient(ctx, body)
	if err != nil {
		return fmt.Errorf("register another: %w", err)
	}
	if refused, ok := again.(*registrar.PartnerReplyClientStatus); !ok || !refused.Response.Null || refused.Errors[0].ErrorCode != "PMS_IDP_001" {
		return fmt.Errorf("register another: %+v", again)
	}
	return nil
}

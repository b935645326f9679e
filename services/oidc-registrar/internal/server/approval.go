package server

import (
	"cmp"
	"fmt"
	"time"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/outbox/signing"
	"github.com/countersign/countersign/libs/seal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/approval"
)

// Approval holds the settings of the approval service.
type Approval struct {
	ApprovalURL           string        `name:"approval-url" env:"APPROVAL_URL" help:"Approval service (wf) for client registrations: the address before /v1/wf. Without it there are no approvals."`
	ApprovalPolicy        string        `name:"approval-policy" env:"APPROVAL_POLICY" help:"Approval policy for clients without approvalPolicy in the catalogue. Without it, these clients need no approval."`
	ApprovalMappingPolicy string        `name:"approval-mapping-policy" env:"APPROVAL_MAPPING_POLICY" help:"Approval policy for the requests of partners for policies. Without it a PARTNER_ADMIN decides."`
	ApprovalTokenURL      string        `name:"approval-token-url" env:"APPROVAL_TOKEN_URL" help:"Token endpoint for client credentials."`
	ApprovalClientID      string        `name:"approval-client-id" env:"APPROVAL_CLIENT_ID" help:"Client id for that; with the development issuer, the subject of the service's own token."`
	ApprovalClientSecret  daemon.Secret `name:"approval-client-secret" env:"APPROVAL_CLIENT_SECRET" help:"Client secret for that."`
	ApprovalToken         daemon.Secret `kong:"-" json:"-"` // of a test
	ApprovalWebhookSecret daemon.Secret `name:"approval-webhook-secret" env:"APPROVAL_WEBHOOK_SECRET" help:"Secret of its webhooks to /v1/registrar/approvals: whsec_ and the base64 of 24 to 64 bytes."`
}

// devWebhookSecret is the file in which wf --dev stores the secret of its webhooks.
const devWebhookSecret = "dev-webhook.secret" // #nosec G101 -- the name of a file

// devApprovalAudience is the default audience of wf.
const devApprovalAudience = "countersign-wf"

// checkApproval reports missing settings.
func (c *Config) checkApproval(p *daemon.Problems) {
	if c.ApprovalURL == "" {
		p.AddIf(c.ApprovalPolicy != "", "APPROVAL_URL", "needed to ask for approvals by REGISTRAR_APPROVAL_POLICY")
		p.AddIf(c.ApprovalMappingPolicy != "", "APPROVAL_URL",
			"needed to ask for approvals by REGISTRAR_APPROVAL_MAPPING_POLICY")
		return
	}
	p.AddIf(c.ApprovalTokenURL != "" && c.ApprovalClientID == "", "APPROVAL_CLIENT_ID", "needed to get a token from REGISTRAR_APPROVAL_TOKEN_URL")
	p.AddIf(!c.HasDevIssuer() && c.ApprovalTokenURL == "" && c.ApprovalToken == "", "APPROVAL_TOKEN_URL",
		"needed to get a token for REGISTRAR_APPROVAL_URL")
	p.AddIf(!c.Dev && c.ApprovalWebhookSecret == "", "APPROVAL_WEBHOOK_SECRET", "needed to tell webhooks of REGISTRAR_APPROVAL_URL from forged ones")
	err := signing.CheckSecret(string(c.ApprovalWebhookSecret))
	p.AddIf(c.ApprovalWebhookSecret != "" && err != nil, "APPROVAL_WEBHOOK_SECRET", "must be whsec_ and the base64 of 24 to 64 bytes: %w", err)
}

// approvals returns the client of the approval service, or nil without one.
func (c *Config) approvals(policy egress.Policy) (*approval.Service, error) {
	if c.ApprovalURL == "" {
		return nil, nil
	}
	secret := registrar.Secret(c.ApprovalWebhookSecret)
	if secret == "" {
		kept, err := c.DevelopmentSecret(devWebhookSecret, func() string { return "whsec_" + seal.NewKey() })
		if err != nil {
			return nil, fmt.Errorf("REGISTRAR_APPROVAL_WEBHOOK_SECRET: %w", err)
		}
		secret = registrar.Secret(kept)
	}
	return approval.New(approval.Options{
		URL: c.ApprovalURL, TokenURL: c.ApprovalTokenURL, ClientID: c.ApprovalClientID, ClientSecret: registrar.Secret(c.ApprovalClientSecret),
		Token: c.approvalToken, WebhookSecret: secret, Egress: policy,
	})
}

// approvalToken returns a token of the development issuer for the approval service.
func (c *Config) approvalToken() (string, error) {
	if c.ApprovalToken != "" {
		return string(c.ApprovalToken), nil
	}
	subject := cmp.Or(c.ApprovalClientID, Program().Name)
	return daemon.DevToken(c.DataDir, bearer.DevToken{
		Subject: subject, Audience: devApprovalAudience, TTL: time.Minute, Claims: map[string]any{"preferred_username": "service-account-" + subject},
	})
}

package api

import (
	"context"
	"mime"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf/internal/receipt"
	"github.com/countersign/countersign/services/wf/internal/view"
	"github.com/countersign/countersign/services/wf/reason"
)

// Media types of a receipt.
const (
	mediaJSON      = "application/json"
	mediaJOSE      = "application/jose"             // RFC 7515, section 9.2.1
	mediaStatement = "application/vnd.in-toto+json" // a DSSE envelope with an in-toto Statement
)

// receiptHandlers has the operations on receipts and their keys.
type receiptHandlers struct{ *API }

func (h receiptHandlers) mount() {
	registerReceipt(h, operation{"getReceipt", get, "/v1/wf/requests/{id}/receipt", anyone, 200,
		[]error{reason.RequestNotFound, reason.WrongState}, "Read the receipt of an approval"})
	registerDocument(h.API, operation{"getKeys", get, "/v1/wf/jwks.json", web.Access{}, 200, nil,
		"Read the keys that verify receipts"}, "JWK Set (RFC 7517)", h.getKeys)
}

// receiptView is a receipt with the id of its key.
type receiptView struct {
	Receipt string `json:"receipt" doc:"The receipt: a JWS in compact form."`
	KeyID   string `json:"kid" doc:"Key of the receipt in /v1/wf/jwks.json."`
}

type getReceiptInput struct {
	Identified
	media string
}

// Resolve selects the first accepted media type of a receipt. Other types select JSON.
func (in *getReceiptInput) Resolve(ctx huma.Context) []error {
	in.media = firstAccepted(ctx, mediaJOSE, mediaStatement, mediaJSON)
	return in.Identified.Resolve(ctx)
}

// firstAccepted returns the first media type of Accept that is offered; empty if none is.
func firstAccepted(ctx huma.Context, offered ...string) string {
	for accepted := range strings.SplitSeq(ctx.Header("Accept"), ",") {
		if media, _, _ := mime.ParseMediaType(accepted); slices.Contains(offered, media) {
			return media
		}
	}
	return ""
}

// registerReceipt is register for the operation with three media types.
func registerReceipt(h receiptHandlers, op operation) {
	web.Register(h.Server, web.Operation(op), success[receiptView](h.API), checked(h.API, op, h.getReceipt), func(documented *huma.Operation) {
		content := documented.Responses["200"].Content
		content[mediaJOSE] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Description: "The receipt alone: a JWS in compact form."}}
		content[mediaStatement] = &huma.MediaType{Schema: &huma.Schema{
			Type: huma.TypeObject, Description: "A DSSE envelope with an in-toto Statement whose predicate is the claims.",
		}}
		describe[getReceiptInput](documented)
	})
}

func (h receiptHandlers) getReceipt(ctx context.Context, in *getReceiptInput) (*streamed, error) {
	r, err := h.engine.Requests.GetReceipt(ctx, actorOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	keys := h.engine.Requests.Receipts
	if in.media == mediaStatement {
		statement, err := keys.SignStatement(r.Claims, r.Attachments)
		return newReply(mediaStatement, statement), err
	}
	token, err := keys.Sign(r.Claims)
	if err != nil {
		return nil, err
	}
	if in.media == mediaJOSE {
		return newReply(mediaJOSE, []byte(token)), nil
	}
	body, err := view.Encode(h.Now(), receiptView{token, keys.SigningKey()})
	return newReply(mediaJSON, body), err
}

func (h receiptHandlers) getKeys(ctx context.Context) ([]byte, error) {
	keys, err := h.engine.Requests.ReceiptKeys(ctx)
	if err != nil {
		return nil, err
	}
	return receipt.JWKS(keys)
}

package api

import (
	"context"
	"errors"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
)

// attempts are the operations whose refusals the audit trail has, with what they act on.
var attempts = map[string]string{"claimTask": "task", "decideTask": "task", "reassignTask": "task", "activateVersion": "policy"}

type attemptKey struct{}

const (
	maxUserAgent = 200 // bytes that are kept
	refusalTime  = 2 * time.Second
)

// withAttempt keeps what the audit trail has of a call if it is refused.
func withAttempt(ctx huma.Context) huma.Context {
	kind, audited := attempts[ctx.Operation().OperationID]
	if !audited {
		return ctx
	}
	r := engine.Refusal{Operation: ctx.Operation().OperationID, About: wf.Resource{Type: kind, ID: ctx.Param("id")}, UserAgent: ctx.Header("User-Agent")}
	if kind == "policy" {
		r.About.ID = ctx.Param("key")
		r.About.Version, _ = strconv.Atoi(ctx.Param("v")) // 0 is no version
	}
	if address, err := netip.ParseAddrPort(ctx.RemoteAddr()); err == nil {
		r.Address = address.Addr().Unmap().WithZone("").String()
	}
	if len(r.UserAgent) > maxUserAgent {
		r.UserAgent = r.UserAgent[:maxUserAgent]
	}
	r.UserAgent = strings.ToValidUTF8(r.UserAgent, "")
	return huma.WithValue(ctx, attemptKey{}, r)
}

// recordRefusal tells the audit trail that the caller may not do what they tried, or not
// any more. The caller's answer is the same whether that works or not. A conflict about a
// lock is no refusal.
func (a *API) recordRefusal(ctx context.Context, err error) {
	r, audited := ctx.Value(attemptKey{}).(engine.Refusal)
	refusal, refused := errors.AsType[*wf.Error](err)
	if !audited || !refused || refusal.Reason != wf.Forbidden && (refusal.Reason != wf.WrongState || refusal.RetryAfter > 0) {
		return
	}
	r.ErrorCode, r.Message = wire[refusal.Reason].code, refusal.Message
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), refusalTime)
	defer cancel()
	if err := a.engine.RecordRefusal(ctx, actorOf(ctx), r); err != nil {
		a.Logger.WarnContext(ctx, "refusal not recorded", "request_id", web.RequestID(ctx), "operation", r.Operation, "error", err)
	}
}

package engine_test

import (
	"errors"
	"io"
	"testing"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
)

func TestOperationsOfAdminsRefuseOtherCallers(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	for name, call := range map[string]func(engine.Caller) error{
		"ListAudit": func(by engine.Caller) error {
			_, _, err := w.Core.Audit.ListAudit(t.Context(), by, registrar.AuditFilter{}, registrar.Page{})
			return err
		},
		"ExportAudit": func(by engine.Caller) error {
			return w.Core.Audit.ExportAudit(t.Context(), by, registrar.AuditFilter{}, io.Discard)
		},
		"ListInitialTokens": func(by engine.Caller) error {
			_, _, err := w.Core.Tokens.ListInitialTokens(t.Context(), by, registrar.Page{})
			return err
		},
		"RevokeInitialToken": func(by engine.Caller) error {
			_, err := w.Core.Tokens.RevokeInitialToken(t.Context(), by, "none")
			if errors.Is(err, registrar.TokenNotFound) {
				err = nil
			}
			return err
		},
		"SendAgain": func(by engine.Caller) error {
			err := w.Core.Reconciliation.SendAgain(t.Context(), by, "none")
			if errors.Is(err, registrar.ClientNotFound) {
				err = nil
			}
			return err
		},
	} {
		if err := call(ana); !errors.Is(err, registrar.ForeignRead) {
			t.Errorf("%s by a partner: %v", name, err)
		}
		if err := call(admin); err != nil {
			t.Errorf("%s by an admin: %v", name, err)
		}
	}
}

package server_test

import (
	"testing"

	"github.com/countersign/countersign/libs/daemon/configtest"
	"github.com/countersign/countersign/services/wf/internal/server"
)

// firstSettings are the settings of a new installation.
var firstSettings = []string{
	"WF_LISTEN", "WF_ADMIN_LISTEN", "WF_DATABASE_URL", "WF_AUTH_ISSUER", "WF_AUTH_AUDIENCE", "WF_ENC_KEYS", "WF_INBOX_URL",
	"WF_INBOX_CLIENT_ID", "WF_INBOX_CLIENT_SECRET", "WF_KEYCLOAK_URL", "WF_KEYCLOAK_CLIENT_SECRET",
	"WF_CALLBACK_HOSTS", "WF_NOTIFY_SMTP_URL", "WF_NOTIFY_FROM",
}

func TestThePageOnConfigurationListsTheSettings(t *testing.T) {
	settings, err := server.Program().Describe(&server.Config{})
	must(t, err)
	configtest.Check(t, "../../../../docs/configuration.md", "wf", firstSettings, settings)
}

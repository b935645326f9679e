package daemon

import "log/slog"

// warn logs valid settings with probably unintended consequences.
func (s *Settings) warn(log *slog.Logger) {
	if s.AuthAudience == s.ClientID {
		log.Warn("audience equals a client id, so ID tokens of the client pass as access tokens; configure a separate audience",
			"setting", s.Prefix+"AUTH_AUDIENCE", "audience", s.AuthAudience)
	}
}

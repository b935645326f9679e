package daemon

import "log/slog"

// warn logs what the settings allow that their author may not mean.
func (s *Settings) warn(log *slog.Logger) {
	if s.AuthAudience == s.ClientID {
		log.Warn("the audience is the id of a client, so ID tokens of that client are taken for access tokens: give this service an audience of its own",
			"setting", s.Prefix+"AUTH_AUDIENCE", "audience", s.AuthAudience)
	}
}

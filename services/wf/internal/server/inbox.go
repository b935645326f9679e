package server

import (
	"log/slog"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/api"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/inbox"
)

// inbox makes the pages for people, if there are any.
func (c *Config) inbox(face *api.API, verifier *bearer.Verifier, log *slog.Logger) (*inbox.Inbox, error) {
	if !c.Dev {
		return nil, nil
	}
	identity := api.Identity{UserClaim: c.UserClaim, PersonClaims: c.PersonClaims}
	options := inbox.Options{
		Server: face.Server, Verifier: verifier, Times: c.sessionTimes(), Now: c.Now, Logger: log,
		Actor: func(t bearer.Token) (wf.Actor, string) { return identity.Actor(t, t.Roles(c.RolePointers()...)) },
	}
	options.Dev = c.devToken
	return inbox.New(options)
}

// devToken is a token of the development issuer for somebody who signs in without a
// password.
func (c *Config) devToken(p inbox.Person) (string, error) {
	claims := map[string]any{}
	for name, value := range map[string]string{"name": p.Name, "email": p.Email} {
		if value != "" {
			claims[name] = value
		}
	}
	return daemon.DevToken(c.DataDir, bearer.DevToken{Subject: p.ID, Audience: c.AuthAudience, Roles: p.Roles, Claims: claims, TTL: c.InboxSession})
}

func (c *Config) sessionTimes() engine.SessionTimes {
	return engine.SessionTimes{Idle: c.InboxIdle, Longest: c.InboxSession}
}

package daemon

import (
	"reflect"
	"slices"
	"strings"
)

// publishedSecrets are the passwords and secrets of deploy/*.env and of the realm in
// deploy/keycloak.
var publishedSecrets = []string{
	"postgres-local-only", "wf-local-only", "registrar-local-only", "admin-local-only",
	"whsec_a25vd24gdG8gYWxsLCBzbyBsb2NhbCB1",
	"payments-secret", "inbox-secret", "console-secret", "directory-secret", "registrar-secret", "manager-secret",
}

// refusePublished adds a problem for each setting of config with a published secret, except in development
// mode and with ALLOW_DEV_VALUES.
func (s *Settings) refusePublished(program Program, config any, p *Problems) {
	if s.Dev || s.AllowDevValues {
		return
	}
	parser, err := program.parser(config, &variables{})
	if err != nil {
		p.list = append(p.list, err)
		return
	}
	for _, flag := range parser.Model.Flags {
		if len(flag.Envs) > 0 && holdsPublished(flag.Target) {
			p.Add(strings.TrimPrefix(flag.Envs[0], p.prefix),
				"is a secret published in the repository: create another, or set %sALLOW_DEV_VALUES=true", s.Prefix)
		}
	}
}

// holdsPublished reports whether a setting, or a part of it, is a published secret. Parts
// are separated as in URLs and in lists of names with their secrets.
func holdsPublished(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		parts := strings.FieldsFunc(v.String(), func(r rune) bool { return strings.ContainsRune(":/@=;, ?&", r) })
		return slices.ContainsFunc(parts, func(part string) bool { return slices.Contains(publishedSecrets, part) })
	case reflect.Map:
		return slices.ContainsFunc(v.MapKeys(), func(key reflect.Value) bool { return holdsPublished(v.MapIndex(key)) })
	default:
		return false
	}
}

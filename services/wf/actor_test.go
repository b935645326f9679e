package wf_test

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/services/wf/identity"
)

func TestAdminsAreViewers(t *testing.T) {
	viewer := identity.Actor{Roles: []identity.Role{identity.RoleViewer}}
	if !root.Has(identity.RoleViewer) || !root.Has(identity.RoleAdmin) || !viewer.Has(identity.RoleViewer) ||
		viewer.Has(identity.RoleAdmin) || person("ana").Has(identity.RoleViewer) {
		t.Error("an admin has both roles, a viewer one, and others none")
	}
}

func TestNoPersonHasAnIDOfTheService(t *testing.T) {
	for id, want := range map[string]bool{
		"ana": true, "8a7c-1": true, strings.Repeat("x", 255): true, "system": true,
		"": false, strings.Repeat("x", 256): false, "system:policy": false, "a\nb": false, "a\u202eb": false,
	} {
		if err := identity.CheckUserID(id); (err == nil) != want {
			t.Errorf("CheckUserID(%q) = %v", id, err)
		}
	}
	for _, a := range []identity.Actor{identity.SystemPolicy, identity.SystemRepeat, identity.SystemExpiry} {
		if !identity.IsSystemID(a.ID) || a.Kind != identity.ActorSystem {
			t.Errorf("%+v is not the service", a)
		}
	}
}

package wf_test

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/services/wf"
)

func TestAdminsAreViewers(t *testing.T) {
	viewer := wf.Actor{Roles: []wf.Role{wf.RoleViewer}}
	if !root.Has(wf.RoleViewer) || !root.Has(wf.RoleAdmin) || !viewer.Has(wf.RoleViewer) || viewer.Has(wf.RoleAdmin) || person("ana").Has(wf.RoleViewer) {
		t.Error("an admin has both roles, a viewer one, and others none")
	}
}

func TestNoPersonHasAnIDOfTheService(t *testing.T) {
	for id, want := range map[string]bool{
		"ana": true, "8a7c-1": true, strings.Repeat("x", 255): true, "system": true,
		"": false, strings.Repeat("x", 256): false, "system:policy": false, "a\nb": false, "a\u202eb": false,
	} {
		if err := wf.CheckUserID(id); (err == nil) != want {
			t.Errorf("CheckUserID(%q) = %v", id, err)
		}
	}
	for _, a := range []wf.Actor{wf.SystemPolicy, wf.SystemRepeat, wf.SystemExpiry} {
		if !wf.IsSystemID(a.ID) || a.Kind != wf.ActorSystem {
			t.Errorf("%+v is not the service", a)
		}
	}
}

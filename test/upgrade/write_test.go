package upgrade

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write the dumps of the current version")

// current is the version whose dumps -update writes.
const current = "0.1.0"

// TestWriteDumps runs both services on each database, creates rows in every state and writes the dumps.
func TestWriteDumps(t *testing.T) {
	if !*update {
		t.Skip("-update is not set")
	}
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			s := newSystem(t)
			wfURL := fresh(t, database)
			registrarURL := fresh(t, database)
			wf := s.wf(wfURL)
			addPolicies(wf)
			registrar := s.registrar(registrarURL)
			fillRegistrar(registrar, wf)
			fillWF(wf, wfURL)
			wf.kill()
			write(t, wfURL, dumpOf(current, "wf", database))
			leaveCalls(registrar, registrarURL)
			registrar.kill()
			write(t, registrarURL, dumpOf(current, "oidc-registrar", database))
		})
	}
	for _, service := range []string{"wf", "oidc-registrar"} {
		schema, err := os.ReadFile(dumpOf(current, service, "sqlite"))
		if err != nil {
			t.Fatal(err)
		}
		for _, database := range []string{"sqlite", "postgres"} {
			db := open(t, restore(t, database, dumpOf(current, service, database)))
			for _, state := range missing(t, db, string(schema)) {
				t.Errorf("%s on %s has no row with %s", service, database, state)
			}
		}
	}
}

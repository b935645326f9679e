package api_test

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
)

// fails makes every new client fail in the database with a code of PostgreSQL.
func fails(t *testing.T, w *registrartest.Service, code string) {
	t.Helper()
	err := w.DB.Do(t.Context(), func(tx *sqldb.Tx) error {
		return tx.Exec(`CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
			$$ BEGIN RAISE EXCEPTION 'the test says no' USING ERRCODE = '` + code + `'; END $$;
			CREATE OR REPLACE TRIGGER refuse BEFORE INSERT ON client EXECUTE FUNCTION refuse()`).Error
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A temporary refusal of the database is not an internal error. The caller may retry.
func TestTemporaryDatabaseRefusalReturns503(t *testing.T) {
	const away, noWrites, busy = "the database cannot be reached", "the database takes no writes", "another call on the same client takes too long"
	const timeout = "a database statement timed out"
	w := registrartest.Boot(t, registrartest.Options{Postgres: true})
	register := func() registrartest.Reply {
		return w.Call("POST", partnerPath, w.Partner("ana", "demo-partner"), registrartest.PartnerRequest(registrartest.Key(t), nil))
	}
	for code, message := range map[string]string{
		"55P03": busy, "25P03": away, "0A000": away, "57014": timeout, "40001": busy, "40P01": busy, "53300": away,
		"25006": noWrites, "53100": noWrites, "58030": noWrites,
	} {
		fails(t, w, code)
		if r := register(); r.Status != 503 || r.Header.Get("Retry-After") != "1" || r.Code() != "PMS_PRT_500" || !strings.Contains(r.Body, message) {
			t.Errorf("%s: %d %s, Retry-After %q", code, r.Status, r.Body, r.Header.Get("Retry-After"))
		}
	}
	for path, want := range map[string]int{"/v1/registrar/health": 503, "/readyz": 200, partnerPath: 200} {
		if r := w.Call("GET", path, w.Admin(), nil); r.Status != want || want == 503 && !strings.Contains(r.Body, noWrites) {
			t.Errorf("GET %s: %d %s", path, r.Status, r.Body)
		}
	}
	fails(t, w, "XX001")
	if r := register(); r.Status != 500 {
		t.Errorf("an accident: %d %s", r.Status, r.Body)
	}
	if log := w.Log.String(); strings.Count(log, "database unavailable") != 1 {
		t.Errorf("ten calls are not logged in one line:\n%s", log)
	}
}

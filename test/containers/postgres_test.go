package containers

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// inside is set in a process of these tests that has a PostgreSQL server of its own.
// It is the folder with the programs.
const inside = "COUNTERSIGN_OWN_POSTGRES"

// The roles of the services are those of a whole server, so this has one of its own.
func TestEachServiceHasADatabaseOfItsOwn(t *testing.T) {
	if os.Getenv(inside) != "" {
		databases(t)
		return
	}
	if os.Getenv("TEST_POSTGRES_URL") == "" {
		t.Skip("TEST_POSTGRES_URL is not set")
	}
	if _, err := exec.LookPath("psql"); err != nil {
		t.Skip("the init script needs psql:", err)
	}
	build(t, "wf")
	build(t, "oidc-registrar")
	run(t, &exec.Cmd{Env: append(os.Environ(), inside+"="+scratch)},
		filepath.Join(root, "deploy/dev/postgres.sh"), "run", os.Args[0], "-test.run", "^"+t.Name()+"$")
}

// databases runs the init script on the server of TEST_POSTGRES_URL, and tries what
// the roles that it makes can do.
func databases(t *testing.T) {
	server, err := url.Parse(os.Getenv("TEST_POSTGRES_URL"))
	if err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "POSTGRES_USER=postgres", "POSTGRES_DB=postgres", "PGHOST="+server.Hostname(), "PGPORT="+
		server.Port(), "PGSSLMODE=disable")
	env = append(env, environment(settings(t, "postgres"))...)
	run(t, &exec.Cmd{Env: env}, filepath.Join(root, "deploy/postgres/init/databases.sh"))

	roles := map[string]string{"wf": "wf", "oidc-registrar": "oidc_registrar"}
	for name, role := range roles {
		values := settings(t, name)
		variable := services[name] + "_DATABASE_URL"
		database, err := url.Parse(values[variable])
		if err != nil {
			t.Fatal(err)
		}
		if database.User.Username() != role || database.Path != "/"+role {
			t.Errorf("%s = %s, want the role and the database %s", variable, database.Redacted(), role)
		}
		database.Host = server.Host
		values[variable] = database.String()
		run(t, &exec.Cmd{Env: environment(values)}, build(t, name), "migrate")

		for _, other := range []string{"wf", "oidc_registrar", "postgres", "template1"} {
			if other == role {
				continue
			}
			expectRefused(t, env, role, other, "SELECT 1", "permission denied for database")
		}
		expectRefused(t, env, role, role, "CREATE ROLE mine", "permission denied to create role")
		expectRefused(t, env, role, role, "CREATE DATABASE mine", "permission denied to create database")
		expectRefused(t, env, role, role, "CREATE SCHEMA mine", "permission denied for database")
		expectRefused(t, env, role, role, "DROP DATABASE postgres", "must be owner")
	}
}

// expectRefused fails the test if a role may run a statement.
func expectRefused(t *testing.T, env []string, role, database, statement, want string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "psql", "--no-psqlrc", "-U", role, "-d", database, "-c", statement)
	cmd.Env = env
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
		t.Errorf("%s, as %s on %s: %v, %s; want %s", statement, role, database, err, out, want)
	}
}

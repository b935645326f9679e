package upgrade

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A migration after 0001_init.sql runs while the version before serves calls. The rules are
// in docs/operating.md, section "Rules for migrations".

// lockOrder is the order in which callers of a service lock its tables. A migration takes
// its locks in the same order, so that it never deadlocks with them. Tables that are not
// listed come last.
var lockOrder = map[string][]string{
	"wf": {
		"policy", "policy_version", "delegation", "request", "stage_run", "stage_candidate", "task", "participant",
		"revision", "decision", "inbox", "chain", "event", "person", "endpoint", "outbox", "delivery", "delivery_attempt", "message",
	},
	"oidc-registrar": {
		"partner", "policy", "partner_policy", "client", "client_key", "registration_token", "approval", "idp_call",
		"provider_record", "client_event", "catalog_event", "endpoint", "outbox", "delivery", "delivery_attempt", "message",
	},
}

// contract marks a migration that removes schema used only by the version before the last one.
const contract = "-- contract:"

var (
	comments = regexp.MustCompile(`--[^\n]*`)
	untied   = regexp.MustCompile(`(?i)\+goose\s+NO\s+TRANSACTION|\bCONCURRENTLY\b|\bCOMMIT\b`)
	removes  = regexp.MustCompile(`(?i)\b(DROP\s+(TABLE|COLUMN|CONSTRAINT|INDEX|TRIGGER|FUNCTION|DEFAULT)|RENAME|` +
		`SET\s+NOT\s+NULL|TRUNCATE|ALTER\s+COLUMN\s+\w+\s+(SET\s+DATA\s+)?TYPE)\b`)
	requires = regexp.MustCompile(`(?i)\bADD\s+(COLUMN\s+)?\w+\s+[^,;]*\bNOT\s+NULL\b`)
	limits   = regexp.MustCompile(`(?i)\bADD\s+(CONSTRAINT|CHECK|UNIQUE|PRIMARY|FOREIGN|EXCLUDE)\b|` +
		`^\s*CREATE\s+(UNIQUE\s+INDEX|(CONSTRAINT\s+)?TRIGGER)\b`)
	backfill = regexp.MustCompile(`(?i)^\s*(WITH\b.*)?\b(UPDATE|DELETE\s+FROM|INSERT\s+INTO\s+\S+[^;]*\bSELECT)\b`)
	adds     = regexp.MustCompile(`(?i)\bADD\s+COLUMN\s+(\w+)`)
	watches  = regexp.MustCompile(`(?i)^\s*CREATE\s+TRIGGER\s+\S+\s+BEFORE\s+UPDATE\s+OF\s+([\w\s,]+?)\s+ON\b`)
	names    = regexp.MustCompile(`(?i)\bINSERT\s+INTO\s+schema_contract\s+\(version\)\s+VALUES\s+\(\d+\)`)
	creates  = regexp.MustCompile(`(?i)^\s*CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)`)
	locks    = regexp.MustCompile(`(?i)(?:\bREFERENCES\s+|^\s*(?:ALTER\s+TABLE|DROP\s+TABLE|CREATE\s+(?:UNIQUE\s+)?INDEX\s+\S+\s+ON|` +
		`CREATE\s+(?:CONSTRAINT\s+)?TRIGGER\s+\S+\s[^;]*?\bON|LOCK\s+TABLE)\s+(?:IF\s+EXISTS\s+|ONLY\s+)*)(\w+)`)
)

// breaches returns the rules that the text of a migration breaks.
func breaches(service, text string) (found []string) {
	contracts := strings.Contains(text, contract)
	order, last := lockOrder[service], -1
	made := map[string]bool{}  // tables of this migration, which nothing else locks or writes
	added := map[string]bool{} // columns of this migration, which the version before does not write
	if m := untied.FindString(text); m != "" {
		found = append(found, "has no transaction of its own: "+m)
	}
	if contracts && !names.MatchString(text) {
		found = append(found, "has no INSERT INTO schema_contract (version) VALUES (N), the lowest schema version of a program that can use the result")
	}
	for statement := range strings.SplitSeq(comments.ReplaceAllString(text, ""), ";") {
		statement = strings.Join(strings.Fields(statement), " ")
		var tables []string
		for _, m := range locks.FindAllStringSubmatch(statement, -1) {
			if table := strings.ToLower(m[1]); !made[table] {
				tables = append(tables, table)
			}
		}
		if m := creates.FindStringSubmatch(statement); m != nil {
			made[strings.ToLower(m[1])] = true
		}
		if !contracts {
			if removes.MatchString(statement) {
				found = append(found, "removes without a line "+contract+" "+statement)
			}
			if requires.MatchString(statement) && !strings.Contains(strings.ToUpper(statement), "DEFAULT") {
				found = append(found, "requires a value that the version before does not write: "+statement)
			}
			for _, m := range adds.FindAllStringSubmatch(statement, -1) {
				added[strings.ToLower(m[1])] = true
			}
			if limits.MatchString(statement) && len(tables) > 0 && !watchesOnly(statement, added) {
				found = append(found, "may refuse a row of the version before: "+statement)
			}
		}
		if backfill.MatchString(statement) {
			found = append(found, "changes rows in the transaction of the schema: "+statement)
		}
		for _, table := range tables {
			at := slices.Index(order, table)
			if at < 0 {
				at = len(order)
			}
			if at < last {
				found = append(found, "locks "+table+" after a table that callers lock later: "+statement)
			}
			last = max(last, at)
		}
	}
	return found
}

// watchesOnly reports whether a statement creates a trigger of updates of these columns alone.
func watchesOnly(statement string, columns map[string]bool) bool {
	m := watches.FindStringSubmatch(statement)
	if m == nil {
		return false
	}
	for column := range strings.SplitSeq(m[1], ",") {
		if !columns[strings.ToLower(strings.TrimSpace(column))] {
			return false
		}
	}
	return true
}

func TestMigrationsKeepTheRules(t *testing.T) {
	files, err := filepath.Glob("../../services/*/internal/store/migrations/*/*.sql")
	if err != nil || len(files) < 4 {
		t.Fatalf("migrations: %v, %v", files, err)
	}
	for _, file := range files {
		if filepath.Base(file) == "0001_init.sql" { // creates all tables, before there are callers
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		service := strings.Split(filepath.ToSlash(file), "/")[3]
		for _, breach := range breaches(service, string(text)) {
			t.Errorf("%s %s", file, breach)
		}
	}
	fixture, err := os.ReadFile("../chaos/testdata/fixture.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, breach := range breaches("wf", string(fixture)) {
		t.Errorf("the migration of the upgrade under load %s", breach)
	}
}

func TestEachRuleOfMigrationsRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want string // how the only breach begins; empty for none
	}{
		"a column":                {"ALTER TABLE request ADD COLUMN more text;", ""},
		"a column with a default": {"ALTER TABLE request ADD COLUMN more text NOT NULL DEFAULT '';", ""},
		"the order of callers":    {"ALTER TABLE request ADD COLUMN a text; ALTER TABLE task ADD COLUMN a text;", ""},
		"a marked contract": {"-- contract: nothing reads it since 0.2.0\nINSERT INTO schema_contract (version) VALUES (16);" +
			"ALTER TABLE request DROP COLUMN more;", ""},
		"a contract without number": {"-- contract: nothing reads it since 0.2.0\nALTER TABLE request DROP COLUMN more;", "has no INSERT INTO"},
		"a new table":               {"CREATE TABLE more (id text PRIMARY KEY, n integer NOT NULL);", ""},
		"a dropped column":          {"ALTER TABLE request DROP COLUMN more;", "removes"},
		"a dropped table":           {"DROP TABLE request;", "removes"},
		"a renamed column":          {"ALTER TABLE request RENAME COLUMN a TO b;", "removes"},
		"a column that must be set": {"ALTER TABLE request ALTER COLUMN a SET NOT NULL;", "removes"},
		"a changed type":            {"ALTER TABLE request ALTER COLUMN a TYPE bigint;", "removes"},
		"a column without default":  {"ALTER TABLE request ADD COLUMN a text NOT NULL;", "requires"},
		"an update":                 {"UPDATE request SET title = '';", "changes rows"},
		"a copy":                    {"INSERT INTO more SELECT id FROM request;", "changes rows"},
		"an update after a comment": {"-- fills it\nUPDATE request SET title = '';", "changes rows"},
		"a marked update":           {"-- contract: no\nINSERT INTO schema_contract (version) VALUES (16);UPDATE request SET title = '';", "changes rows"},
		"task before request":       {"ALTER TABLE task ADD COLUMN a text; ALTER TABLE request ADD COLUMN a text;", "locks request"},
		"an index out of order": {"CREATE INDEX a ON participant (a); CREATE INDEX b ON request (b);",
			"locks request"},
		"a reference out of order": {"ALTER TABLE task ADD COLUMN a text; CREATE TABLE more (a uuid REFERENCES request);", "locks request"},
		"a key of a new table":     {"CREATE TABLE more (a text); CREATE UNIQUE INDEX b ON more (a);", ""},
		"a key of an old table":    {"CREATE UNIQUE INDEX a ON request (title);", "may refuse"},
		"a constraint":             {"ALTER TABLE request ADD CONSTRAINT a CHECK (title <> '');", "may refuse"},
		"a trigger":                {"CREATE TRIGGER a BEFORE INSERT ON request FOR EACH ROW EXECUTE FUNCTION f();", "may refuse"},
		"a trigger of a new column": {"ALTER TABLE request ADD COLUMN a text; CREATE TRIGGER b BEFORE UPDATE OF a ON request " +
			"FOR EACH ROW EXECUTE FUNCTION f();", ""},
		"a trigger of an old column": {"ALTER TABLE request ADD COLUMN a text; CREATE TRIGGER b BEFORE UPDATE OF a, title ON request " +
			"FOR EACH ROW EXECUTE FUNCTION f();", "may refuse"},
		"no transaction": {"-- +goose NO TRANSACTION\nCREATE INDEX CONCURRENTLY a ON request (title);", "has no transaction"},
	} {
		got := breaches("wf", tt.text)
		if tt.want == "" && len(got) > 0 || tt.want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], tt.want)) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestBothDatabasesHaveTheSameMigrations(t *testing.T) {
	for service := range lockOrder {
		files := func(database string) (names []string) {
			paths, err := filepath.Glob("../../services/" + service + "/internal/store/migrations/" + database + "/*.sql")
			if err != nil || len(paths) == 0 {
				t.Fatalf("migrations of %s on %s: %v, %v", service, database, paths, err)
			}
			for _, path := range paths {
				names = append(names, filepath.Base(path))
			}
			return names
		}
		if postgres, sqlite := files("postgres"), files("sqlite"); !slices.Equal(postgres, sqlite) {
			t.Errorf("%s has the migrations %q on PostgreSQL and %q on SQLite", service, postgres, sqlite)
		}
	}
}

// The lists of lockOrder name tables that exist.
func TestTheOrderOfLocksNamesTables(t *testing.T) {
	for service, order := range lockOrder {
		text, err := os.ReadFile("../../services/" + service + "/internal/store/migrations/postgres/0001_init.sql")
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range order {
			if !strings.Contains(string(text), "\nCREATE TABLE "+table+" (") {
				t.Errorf("%s has no table %s", service, table)
			}
		}
	}
}

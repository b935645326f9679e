package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// lockOrder is the order in which the calls of a service lock its tables. Other tables come last.
var lockOrder = map[string][]string{
	"wf": {
		"policy", "policy_version", "delegation", "request", "participant", "task", "inbox",
		"revision", "chain", "event", "person", "endpoint", "outbox", "delivery", "delivery_attempt", "message",
	},
	"oidc-registrar": {
		"partner", "policy", "partner_policy", "client", "client_key", "registration_token", "approval", "idp_call",
		"provider_record", "client_event", "catalog_event", "endpoint", "outbox", "delivery", "delivery_attempt", "message",
	},
}

var (
	comments = regexp.MustCompile(`--[^\n]*`)
	untied   = regexp.MustCompile(`(?i)\+goose\s+NO\s+TRANSACTION|\bCONCURRENTLY\b|\bCOMMIT\b`)
	removes  = regexp.MustCompile(`(?i)\b(DROP\s+(TABLE|COLUMN|CONSTRAINT|INDEX|TRIGGER|FUNCTION|DEFAULT)|RENAME|` +
		`SET\s+NOT\s+NULL|TRUNCATE|ALTER\s+COLUMN\s+\w+\s+(SET\s+DATA\s+)?TYPE)\b`)
	requires = regexp.MustCompile(`(?i)\bADD\s+(COLUMN\s+)?\w+\s+[^,;]*\bNOT\s+NULL\b`)
	limits   = regexp.MustCompile(`(?i)\bADD\s+(CONSTRAINT|CHECK|UNIQUE|PRIMARY|FOREIGN|EXCLUDE)\b|` +
		`^\s*CREATE\s+(UNIQUE\s+INDEX|(CONSTRAINT\s+)?TRIGGER)\b`)
	backfill = regexp.MustCompile(`(?i)^\s*(WITH\b.*)?\b(UPDATE|DELETE\s+FROM|INSERT\s+INTO\s+\S+[^;]*\bSELECT)\b`)
	creates  = regexp.MustCompile(`(?i)^\s*CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)`)
	locks    = regexp.MustCompile(`(?i)(?:\bREFERENCES\s+|^\s*(?:ALTER\s+TABLE|DROP\s+TABLE|CREATE\s+(?:UNIQUE\s+)?INDEX\s+\S+\s+ON|` +
		`CREATE\s+(?:CONSTRAINT\s+)?TRIGGER\s+\S+\s[^;]*?\bON|LOCK\s+TABLE)\s+(?:IF\s+EXISTS\s+|ONLY\s+)*)(\w+)`)
)

// breaches returns the rules of docs/architecture.md, "Rules for migrations", that the text of a migration breaks.
func breaches(service, text string) (found []string) {
	contracts := strings.Contains(text, "-- contract:")
	order, last := lockOrder[service], -1
	made := map[string]bool{} // tables of this migration
	if untied.MatchString(text) {
		found = append(found, "no transaction")
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
		if !contracts && removes.MatchString(statement) {
			found = append(found, "removes")
		}
		if !contracts && requires.MatchString(statement) && !strings.Contains(strings.ToUpper(statement), "DEFAULT") {
			found = append(found, "requires")
		}
		if !contracts && limits.MatchString(statement) && len(tables) > 0 {
			found = append(found, "limits")
		}
		if backfill.MatchString(statement) {
			found = append(found, "changes rows")
		}
		for _, table := range tables {
			at := slices.Index(order, table)
			if at < 0 {
				at = len(order)
			}
			if at < last {
				found = append(found, "locks "+table)
			}
			last = max(last, at)
		}
	}
	return found
}

// Migrations after 0001_init.sql follow the rules, and both databases have the same files.
func TestMigrationsFollowTheRules(t *testing.T) {
	for text, want := range map[string]string{
		"ALTER TABLE request ADD COLUMN a text;":                                             "",
		"ALTER TABLE request ADD COLUMN a text NOT NULL DEFAULT '';":                         "",
		"ALTER TABLE request ADD COLUMN a text; ALTER TABLE task ADD COLUMN a text;":         "",
		"-- contract: unused\nALTER TABLE request DROP COLUMN a;":                            "",
		"CREATE TABLE more (id text PRIMARY KEY); CREATE UNIQUE INDEX b ON more (id);":       "",
		"ALTER TABLE request DROP COLUMN a;":                                                 "removes",
		"ALTER TABLE request RENAME COLUMN a TO b;":                                          "removes",
		"ALTER TABLE request ALTER COLUMN a TYPE bigint;":                                    "removes",
		"ALTER TABLE request ADD COLUMN a text NOT NULL;":                                    "requires",
		"CREATE UNIQUE INDEX a ON request (title);":                                          "limits",
		"ALTER TABLE request ADD CONSTRAINT a CHECK (title <> '');":                          "limits",
		"CREATE TRIGGER a BEFORE INSERT ON request FOR EACH ROW EXECUTE FUNCTION f();":       "limits",
		"-- comment\nUPDATE request SET title = '';":                                         "changes rows",
		"-- contract: unused\nINSERT INTO more SELECT id FROM request;":                      "changes rows",
		"ALTER TABLE task ADD COLUMN a text; ALTER TABLE request ADD COLUMN a text;":         "locks request",
		"ALTER TABLE task ADD COLUMN a text; CREATE TABLE more (a uuid REFERENCES request);": "locks request",
		"-- +goose NO TRANSACTION\nCREATE INDEX CONCURRENTLY a ON request (title);":          "no transaction",
	} {
		if got := strings.Join(breaches("wf", text), ", "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	for service, order := range lockOrder {
		folder := filepath.Join("../../services", service, "internal/store/migrations")
		files := map[string][]string{}
		for _, database := range []string{"postgres", "sqlite"} {
			paths, err := filepath.Glob(filepath.Join(folder, database, "*.sql"))
			if err != nil || len(paths) == 0 || filepath.Base(paths[0]) != "0001_init.sql" {
				t.Fatalf("migrations of %s on %s: %v, %v", service, database, paths, err)
			}
			for i, path := range paths {
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				files[database] = append(files[database], filepath.Base(path))
				for _, table := range order {
					if i == 0 && !strings.Contains(string(text), "\nCREATE TABLE "+table+" (") {
						t.Errorf("%s has no table %s of lockOrder", path, table)
					}
				}
				if found := breaches(service, string(text)); i > 0 && len(found) > 0 {
					t.Errorf("%s breaks rules for migrations: %s", path, strings.Join(found, ", "))
				}
			}
		}
		if !slices.Equal(files["postgres"], files["sqlite"]) {
			t.Errorf("%s has the migrations %q on PostgreSQL and %q on SQLite", service, files["postgres"], files["sqlite"])
		}
	}
}

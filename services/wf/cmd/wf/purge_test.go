package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
)

// An operator copies the database, erases a user, and purges old objects.
func TestRetentionCommandsReportTheirResults(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		dir := t.TempDir()
		env := []string{"WF_DATABASE_URL=" + url}
		copied := filepath.Join(dir, "copy.db")
		run := func(want int, says string, args ...string) {
			t.Helper()
			status, out, text := runs(t, dir, env, args...)
			if status != want || !strings.Contains(out+text, says) {
				t.Errorf("%s ended with %d, want %d and %q:\n%s%s", args, status, want, says, out, text)
			}
		}
		run(1, "", "purge")
		run(1, "", "backup", copied)
		run(0, "schema migrated", "migrate")
		run(0, "dry run, nothing was deleted: 0 requests, 0 deliveries, 0 refusals, 0 idempotency keys are old enough; --no-dry-run deletes them", "purge")
		run(0, ": deleted 0 requests, 0 deliveries, 0 refusals, 0 idempotency keys\n", "purge", "--no-dry-run")
		run(1, "WF_RETENTION_REQUESTS: must be at least 7d", "purge", "--retention-requests=6d")
		run(0, "nothing names ana but by the id", "erase-person", "ana", "--no-dry-run")
		if strings.HasPrefix(url, "sqlite:") {
			run(0, ": copied to "+copied, "backup", copied)
			run(1, "exists and is not replaced; no copy was written", "backup", copied)
			env = []string{"WF_DATABASE_URL=sqlite:" + copied}
			run(0, "schema is at version", "migrate", "--status")
		} else {
			run(1, "pg_dump --format=custom", "backup", copied)
		}
	})
}

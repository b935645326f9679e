package worker
import "testing"
func dbgAttempts(t *testing.T, w *world, ids []string) {
	shown := 0
	for _, id := range ids {
		d, as := w.delivery(t, id)
		if (len(as) != 1 || d.Lease.Token != 1) && shown < 12 { shown++; t.Logf("%s %s token %d attempts %d %+v", id[30:], d.Status, d.Lease.Token, len(as), as) }
	}
}

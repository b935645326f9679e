package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/heartbeat"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/sqldb"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// Events is the query of stored events. Their numbers are given again after a loss, so their keys are their object and
// time; see newWrite.
var Events = heartbeat.Events{ByTime: true, Query: `SELECT object || ' ' || CAST(at_ms AS text) FROM (
	SELECT 'client ' || client_id AS object, at_ms FROM client_event
	UNION ALL SELECT 'partner ' || partner_id || ' policy ' || policy_id, at_ms FROM catalog_event) AS e WHERE at_ms`}

// newWrite returns an event of an object.
func newWrite(object string, at time.Time, text string) heartbeat.Write {
	return heartbeat.Write{Event: fmt.Sprint(object, " ", sqldb.Millis(at)), At: at, About: object, Text: text}
}

// noteEvents notes committed events. Refusals change nothing, and may be purged early.
func (s *Store) noteEvents(clients []registrar.Event, catalog []registrar.CatalogEvent) {
	if s.Note == nil {
		return
	}
	for _, e := range clients {
		if e.Type == registrar.EventClientRefused {
			continue
		}
		text := string(e.Type)
		if e.ProviderClientID != "" {
			text += ", at the provider " + e.ProviderClientID
		}
		s.Note(newWrite("client "+e.ClientID, e.At, text))
	}
	for _, e := range catalog {
		w := newWrite("partner "+e.PartnerID+" policy "+e.PolicyID, e.At, strings.TrimSpace(string(e.Type)+" "+e.TokenID))
		switch {
		case e.PolicyID == "":
			w.About = "partner " + e.PartnerID
		case e.PartnerID == "":
			w.About = "policy " + e.PolicyID
		}
		s.Note(w)
	}
}

// NoteSent notes a webhook of a delivery that the receiver may have. A test of an endpoint has no client.
func (s *Store) NoteSent(d outbox.Delivery, text string) {
	if s.Note != nil && d.Subject != "" {
		w := newWrite("client "+d.Subject, d.CreatedAt, text)
		w.Sent = true
		s.Note(w)
	}
}

// NoteCall notes a call to the identity provider for the last event of a client.
func (s *Store) NoteCall(clientID string, last time.Time, text string) {
	if s.Note != nil && !last.IsZero() {
		w := newWrite("client "+clientID, last, text)
		w.Sent = true
		s.Note(w)
	}
}

// LastEvent returns the time of the last event of a client that is no refusal, or the zero time.
func (s *Store) LastEvent(ctx context.Context, clientID string) (time.Time, error) {
	var at sql.NullInt64
	err := s.db.Read(ctx).Raw("SELECT at_ms FROM client_event WHERE client_id = ? AND type <> 'refused' ORDER BY seq DESC LIMIT 1", clientID).Scan(&at).Error
	if err != nil || !at.Valid {
		return time.Time{}, wrapError(err, "load the last event of client %s", clientID)
	}
	return time.UnixMilli(at.Int64).UTC(), nil
}

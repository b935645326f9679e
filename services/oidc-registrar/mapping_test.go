package registrar_test

import (
	"errors"
	"testing"
	"time"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

func TestAMappingRequestHasOneDecision(t *testing.T) {
	open := registrar.MappingRequest{Key: "k", PartnerID: "p", PolicyID: "q", State: registrar.MappingInProgress}
	approved, rejected := open, open
	approved.State, rejected.State = registrar.MappingRequestApproved, registrar.MappingRequestRejected
	for _, tt := range []struct {
		from    registrar.MappingRequest
		status  string
		comment string
		to      registrar.MappingState
		err     error
	}{
		{open, "Approved", "", registrar.MappingRequestApproved, nil},
		{open, "APPROVED", "fine\nindeed", registrar.MappingRequestApproved, nil},
		{open, "rejected", "no", registrar.MappingRequestRejected, nil},
		{open, "InProgress", "", registrar.MappingInProgress, registrar.InvalidMappingStatus},
		{open, "", "", registrar.MappingInProgress, registrar.InvalidMappingStatus},
		{open, "approved", " ", registrar.MappingInProgress, registrar.InvalidRequest},
		{approved, "approved", "", registrar.MappingRequestApproved, registrar.MappingDecidedApproved},
		{approved, "rejected", "", registrar.MappingRequestApproved, registrar.MappingDecidedApproved},
		{rejected, "approved", "", registrar.MappingRequestRejected, registrar.MappingDecidedRejected},
	} {
		got, err := tt.from.Decide(tt.status, tt.comment, time.Unix(1, 0))
		if got.State != tt.to || !errors.Is(err, tt.err) || tt.err == nil &&
			(got.Comment != tt.comment || got.UpdatedAt.IsZero()) {
			t.Errorf("%s by %q: %+v, %v", tt.from.State, tt.status, got, err)
		}
	}
}

func TestOpenRegistrationNeedsAnApprovalOrAnEndWithin90Days(t *testing.T) {
	for _, tt := range []struct {
		after              string
		isApproved, permit bool
	}{
		{"", true, true}, {"P366D", true, true}, {"", false, false}, {"P1D", false, true}, {"P90D", false, true}, {"P91D", false, false},
	} {
		if got := (registrar.Policy{ExpiresAfter: tt.after}).PermitsOpen(tt.isApproved); got != tt.permit {
			t.Errorf("%q, approval %t: %t", tt.after, tt.isApproved, got)
		}
	}
}

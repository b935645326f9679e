package api

import "github.com/countersign/countersign/services/wf"

// Wire returns the code and status of every reason.
func Wire() map[wf.Reason]struct {
	Code   string
	Status int
} {
	out := map[wf.Reason]struct {
		Code   string
		Status int
	}{}
	for reason, row := range wire {
		out[reason] = struct {
			Code   string
			Status int
		}{row.code, row.status}
	}
	return out
}

package api

// Kinds maps the reasons of invalid input to types of 422 details.
var Kinds = kinds

// Wire returns the code and status of every reason.
func Wire() map[error]struct {
	Code   string
	Status int
} {
	out := map[error]struct {
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

package page

import (
	"errors"

	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/signin"
)

// Limits of the API.
const (
	MaxContext  = 200 << 10 // bytes of the content of a request
	MaxComment  = 4096      // characters of a comment or a reason
	MaxArtifact = 255       // characters
)

// Canonical returns the canonical form of a document and its hash. It fails above MaxContext.
func Canonical(document form.Node) (text []byte, hash string, err error) {
	if text, err = strictjson.Canonical([]byte(document.JSON())); err != nil {
		return nil, "", err
	}
	if len(text) > MaxContext {
		return nil, "", errors.New("the content is too long")
	}
	hash, err = strictjson.Sum(text)
	return text, hash, err
}

// Fields reads the fields of a submitted form and collects their errors.
type Fields struct {
	*Request
	*signin.Fields
}

// Fields returns the fields of the submitted form.
func (req *Request) Fields() *Fields { return &Fields{req, req.Request.Fields()} }

// Choices returns the choices of identifiers with their texts.
func Choices[S ~string](req *Request, family string, values ...S) (all []form.Choice) {
	for _, value := range values {
		all = append(all, form.Choice{Value: string(value), Title: req.Label(family, value)})
	}
	return all
}

// Set returns the set of the values, for templates.
func Set(values []string) map[string]bool {
	set := map[string]bool{}
	for _, value := range values {
		set[value] = true
	}
	return set
}

package page

import (
	"github.com/countersign/countersign/libs/ui/i18n"
	"github.com/countersign/countersign/services/wf/policy"
)

// UsePolicy sets the policy of the page, whose texts are shown in the reader's language.
func (req *Request) UsePolicy(def policy.Definition) { req.Reader = req.policyReader(def) }

// policyReader returns the reader for the texts of a policy.
func (req *Request) policyReader(def policy.Definition) i18n.Reader {
	r := req.Reader
	r.Content = def.Settings.Language
	return r
}

// PolicyName returns the name of a policy in the reader's language.
func (req *Request) PolicyName(def policy.Definition) i18n.Text {
	return req.policyReader(def).Translate(def.NameI18n, def.Name)
}

// PolicyDescription returns the description of a policy in the reader's language.
func (req *Request) PolicyDescription(def policy.Definition) i18n.Text {
	return req.policyReader(def).Translate(def.DescriptionI18n, def.Description)
}

// StageName returns the name of a stage in the reader's language. name is the one that the stage had at its start.
func (req *Request) StageName(def policy.Definition, key, name string) i18n.Text {
	stage, _ := def.Stage(key)
	return req.policyReader(def).Translate(stage.NameI18n, name)
}

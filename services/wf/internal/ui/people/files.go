package people

import (
	"cmp"
	"encoding/json"
	"mime"
	"net/url"
	"path"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
)

// filesForm returns the fields for links to documents, and their values.
func filesForm(req *page.Request, sent url.Values) (inputs []form.Input, files []wf.Attachment) {
	inputs, read, _ := req.Form(filesSchema(req), form.Node{}, sent, "files")
	for _, item := range read.Get("attachments").Items {
		a := wf.Attachment{Name: item.Get("name").Text, URL: item.Get("url").Text}
		a.MediaType = mediaType(a)
		files = append(files, a)
	}
	return inputs, files
}

// singleLine matches texts without control characters, line ends and overrides of the text direction.
const singleLine = `^[^\p{Cc}\x{2028}\x{2029}\x{202a}-\x{202e}]*$`

// filesSchema returns the schema of the fields, in the reader's language.
func filesSchema(req *page.Request) []byte {
	type object = map[string]any
	raw, _ := json.Marshal(object{"properties": object{"attachments": object{ // texts and numbers always encode
		"type": "array", "maxItems": 20, "title": req.T("request.files"), "description": req.T("files.help"),
		"items": object{"type": "object", "title": req.T("files.one"), "required": []string{"name", "url"},
			"properties": object{
				"name": object{"type": "string", "title": req.T("files.name"), "maxLength": 150, "pattern": singleLine},
				"url": object{"type": "string", "title": req.T("files.url"), "format": "uri", "pattern": `^https?://\S+$`,
					"maxLength": 2048},
			}},
	}}})
	return raw
}

// mediaType derives the media type of a document from the extension of its name or address. The
// default is a web page.
func mediaType(a wf.Attachment) string {
	kind := mime.TypeByExtension(path.Ext(a.Name))
	if u, err := url.Parse(a.URL); err == nil {
		kind = cmp.Or(kind, mime.TypeByExtension(path.Ext(u.Path)))
	}
	kind, _, _ = mime.ParseMediaType(cmp.Or(kind, "text/html")) // types of extensions are valid
	return kind
}

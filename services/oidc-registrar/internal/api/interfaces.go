package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/web"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// interfaceRow is an interface that registers and updates clients. Its codes are in codes.go.
type interfaceRow struct {
	path       string
	fields     registrar.Interface
	extensions []string // members beyond those of the contract
	timed      bool     // requestTime is required
	schema     string   // prefix of the names of the schemas

	register, update, patch summary // patch is optional
}

// summary is the id and the summary of an operation.
type summary struct{ id, text string }

// interfaceRows lists the interfaces but for RFC 7591, whose bodies have no envelope.
var interfaceRows = []interfaceRow{
	{
		path: "/v1/partnermanager/oidc/client", fields: registrar.PartnerInterface, schema: "Partner",
		register: summary{"registerPartnerClient", "Register a client under a policy"},
		update:   summary{"updatePartnerClient", "Update a client or its status"},
	},
	{ // partner management 1.2.2
		path: "/v1/partnermanager/oauth/client", schema: "Oauth", extensions: []string{registrar.NamesExtension},
		fields:   changed(registrar.PartnerInterface, func(i *registrar.Interface) { i.NeedsNames, i.Final = true, true }),
		register: summary{"registerOauthPartnerClient", "Register a client with names in other languages"},
		update:   summary{"updateOauthPartnerClient", "Update a client, or deactivate it permanently"},
	},
	{
		path: "/v1/idp/client-mgmt/oidc-client", fields: registrar.ProviderInterface, schema: "Provider",
		register: summary{"registerProviderClient", "Register a client with named claims"},
		update:   summary{"updateProviderClient", "Update a client or its status"},
	},
	{
		path: "/v1/esignet/client-mgmt/oidc-client", fields: registrar.ProviderInterface, schema: "Provider",
		register: summary{"registerEsignetClient", "Register a client with named claims (eSignet 1.0)"},
		update:   summary{"updateEsignetClient", "Update a client or its status (eSignet 1.0)"},
	},
	{
		path: "/v1/esignet/client-mgmt/oauth-client", fields: registrar.ProviderInterface, timed: true,
		schema: "Named", extensions: []string{registrar.NamesExtension},
		register: summary{"registerOauthClient", "Register a client with names in other languages (eSignet 1.4)"},
		update:   summary{"updateOauthClient", "Update a client with names in other languages (eSignet 1.4)"},
	},
	{
		path: "/v1/esignet/client-mgmt/client", timed: true, schema: "Configured",
		extensions: []string{registrar.NamesExtension, registrar.ConfigExtension, registrar.EncKeyExtension},
		fields:     changed(registrar.ProviderInterface, func(i *registrar.Interface) { i.FewClaims = true }),
		register:   summary{"registerConfiguredClient", "Register a client with settings (eSignet 1.6)"},
		update:     summary{"updateConfiguredClient", "Update a client with settings (eSignet 1.6)"},
		patch:      summary{"patchConfiguredClient", "Patch a client (eSignet 1.8)"},
	},
}

func changed(i registrar.Interface, change func(*registrar.Interface)) registrar.Interface {
	change(&i)
	return i
}

// member is a member of a request.
type member struct {
	kind memberKind
	doc  string
}

// memberKind is the JSON type of a member.
type memberKind int

const (
	textMember memberKind = iota
	listMember
	namesMember
	objectMember
)

// members describes every member of the requests.
var members = map[string]member{
	"clientId":          {textMember, "Identifier of the client, chosen by the caller."},
	"name":              {textMember, "Display name."},
	"clientName":        {textMember, "Display name."},
	"policyId":          {textMember, "Policy that grants the claims and authentication contexts."},
	"publicKey":         {objectMember, "JSON Web Key with the public members only"},
	"authPartnerId":     {textMember, "Partner that owns the client."},
	"relyingPartyId":    {textMember, "Relying party that owns the client."},
	"userClaims":        {listMember, "Claims that the client may request."},
	"authContextRefs":   {listMember, "Authentication context classes that the client may request."},
	"logoUri":           {textMember, "Logo of the client, an https URL."},
	"redirectUris":      {listMember, "Redirect URIs."},
	"grantTypes":        {listMember, "OAuth grant types that the client uses."},
	"clientAuthMethods": {listMember, "Authentication methods at the token endpoint."},
	"status":            {textMember, "ACTIVE or INACTIVE; in any letter case in partner management"},
	registrar.NamesExtension: {namesMember, "Names in other languages, by the three letters of ISO 639-2, at most 50 characters each. " +
		"An update without it removes them."},
	registrar.ConfigExtension: {objectMember, "Settings of the client: userinfo_response_type, id_token_response_type (eSignet 2.0), " +
		"purpose, signup_banner_required, forgot_pwd_link_required, consent_expire_in_mins, require_pushed_authorization_requests, " +
		"dpop_bound_access_tokens, require_pkce."},
	registrar.EncKeyExtension: {objectMember, "JSON Web Key for encryption to the client, public members only."},
}

// fixedMembers are the members of a registration that an update cannot change. A caller may repeat them.
var fixedMembers = []string{"clientId", "policyId", "publicKey", "authPartnerId", "relyingPartyId"}

const fixedDoc = "Cannot be changed; the registered value is accepted. Keys have operations of their own."

// registration and change return the members of the requests of an interface.
func (row interfaceRow) registration() []string { return row.own(row.fields.Registration) }

func (row interfaceRow) change() []string {
	list := append(row.own(row.fields.Update), fixedMembers...)
	if row.fields.API == registrar.PartnerAPI {
		list = append(list, "name") // by its name in the answer to GET
	}
	return list
}

// own returns list without the extensions that the interface lacks.
func (row interfaceRow) own(list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(name string) bool {
		extensions := []string{registrar.NamesExtension, registrar.ConfigExtension, registrar.EncKeyExtension}
		return slices.Contains(extensions, name) && !slices.Contains(row.extensions, name)
	})
}

// schemaOf adds the schema of a request with members, and of its envelope, whose reference it returns. All members but
// the optional ones are required.
func (row interfaceRow) schemaOf(a *API, name string, list []string, isOptional func(string) bool) *huma.Schema {
	schemas := a.API.OpenAPI().Components.Schemas.Map()
	request := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Properties: map[string]*huma.Schema{}}
	update := slices.Contains(list, "status")
	for _, name := range list {
		schema := memberSchema(members[name])
		if update && slices.Contains(fixedMembers, name) {
			schema.Description = fixedDoc
		} else if !isOptional(name) {
			request.Required = append(request.Required, name)
		}
		request.Properties[name] = schema
	}
	request.PrecomputeMessages()
	content := schemaRef(name)
	content.Description = "Content of the request."
	envelope := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Required: []string{"request"}}
	envelope.Properties = map[string]*huma.Schema{
		"requestTime": textSchema("RFC 3339, close to the server's time; see REGISTRAR_REQUEST_TIME_LEEWAY"),
		"request":     content,
	}
	body := "ProviderBody" + name
	if row.fields.API == registrar.PartnerAPI {
		body = "PartnerBody" + name
		envelope.Properties = map[string]*huma.Schema{
			"id": textSchema("Ignored"), "version": textSchema("Ignored"), "requesttime": textSchema("Ignored"),
			"request":  content,
			"metadata": {Type: huma.TypeObject, AdditionalProperties: true, Description: "Ignored"},
		}
	}
	envelope.PrecomputeMessages()
	schemas[name], schemas[body] = request, envelope
	return schemaRef(body)
}

// textSchema is the schema of a text.
func textSchema(doc string) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Description: doc}
}

// listSchema is the schema of a list of texts.
func listSchema(doc string) *huma.Schema {
	return &huma.Schema{Type: huma.TypeArray, Items: textSchema(""), Description: doc}
}

func memberSchema(m member) *huma.Schema {
	schema := textSchema(m.doc)
	switch m.kind {
	case listMember:
		return listSchema(m.doc)
	case namesMember:
		schema.Type, schema.AdditionalProperties = huma.TypeObject, &huma.Schema{Type: huma.TypeString}
	case objectMember:
		schema.Type, schema.AdditionalProperties = huma.TypeObject, true
	}
	return schema
}

// mountInterfaces registers the operations of the interfaces.
func mountInterfaces(a *API) {
	for _, row := range interfaceRows {
		if row.fields.API == registrar.PartnerAPI {
			mountInterface(a, row, partners, partners)
		} else {
			mountInterface(a, row, a.requireScope(addScope), a.requireScope(updateScope))
		}
	}
}

func mountInterface(a *API, row interfaceRow, add, change web.Access) {
	mount := func(op operation, ref *huma.Schema, handle func(operation, func(*huma.Operation))) {
		handle(op, func(documented *huma.Operation) {
			unchecked(documented)
			documented.RequestBody.Content["application/json"].Schema = ref
		})
	}
	optional := func(names ...string) func(string) bool {
		if !row.fields.NeedsNames {
			names = append(names, registrar.NamesExtension)
		}
		names = append(names, registrar.ConfigExtension, registrar.EncKeyExtension)
		return func(name string) bool { return slices.Contains(names, name) }
	}
	mount(operation{row.register.id, post, row.path, add, 200, nil, row.register.text},
		row.schemaOf(a, row.schema+"Registration", row.registration(), optional()),
		func(op operation, document func(*huma.Operation)) {
			handle(a, op, func(ctx context.Context, in *bodyInput[object]) (clientStatus, error) {
				return row.registerClient(ctx, a, in.Body)
			}, document)
		})
	updates := func(patch bool) func(operation, func(*huma.Operation)) {
		return func(op operation, document func(*huma.Operation)) {
			handle(a, op, func(ctx context.Context, in *clientBodyInput[object]) (clientStatus, error) {
				return row.updateClient(ctx, a, in.ClientID, in.Body, patch)
			}, document)
		}
	}
	byName := optional()
	if row.fields.API == registrar.PartnerAPI { // clientName or name
		byName = optional("clientName", "name")
	}
	mount(operation{row.update.id, put, row.path + "/{client_id}", change, 200, nil, row.update.text},
		row.schemaOf(a, row.schema+"Update", row.change(), byName), updates(false))
	if row.patch.id != "" {
		mount(operation{row.patch.id, patch, row.path + "/{client_id}", change, 200, nil, row.patch.text},
			row.schemaOf(a, "ClientPatch", row.change(), func(string) bool { return true }), updates(true))
	}
}

func (row interfaceRow) registerClient(ctx context.Context, a *API, body object) (clientStatus, error) {
	in, time, err := row.readRequest(ctx, body, row.registration())
	if err != nil {
		return clientStatus{}, err
	}
	if in != nil {
		in.Given = nil // not a patch
	}
	by := callerOf(ctx)
	// A foreign partner is refused later, without using its rate.
	if in != nil && (row.fields.API == registrar.ProviderAPI || by.Owns(in.PartnerID)) {
		if err := a.limitRegistration(by, in.PartnerID); err != nil {
			return clientStatus{}, err
		}
	}
	client, err := a.registrar.Clients.RegisterClient(ctx, by, row.fields, time, in)
	return statusOf(client), err
}

func (row interfaceRow) updateClient(
	ctx context.Context, a *API, id string, body object, patch bool,
) (clientStatus, error) {
	in, time, err := row.readRequest(ctx, body, row.change())
	if err != nil {
		return clientStatus{}, err
	}
	if in != nil {
		row.complete(in, patch)
	}
	client, err := a.registrar.Clients.UpdateClient(ctx, callerOf(ctx), row.fields, id, time, in)
	return statusOf(client), err
}

// complete gives the missing extensions of an update their meaning: they are removed, except for the key to encrypt
// with. A patch keeps what it lacks; null removes that key.
func (row interfaceRow) complete(in *registrar.Request, patch bool) {
	x := &in.Extensions
	isNull := func(raw []byte) bool { return string(raw) == "null" }
	switch {
	case patch:
		if isNull(x.Config) {
			x.Config = nil
		}
		return
	case x.Names == nil && !row.fields.NeedsNames && slices.Contains(row.extensions, registrar.NamesExtension):
		x.Names = map[string]string{}
	}
	if x.Config == nil && slices.Contains(row.extensions, registrar.ConfigExtension) {
		x.Config = []byte("null")
	}
	if isNull(x.EncKey) {
		x.EncKey = nil
	}
	in.Given = nil
}

// readRequest reads the listed members of the request in an envelope. Given has those that are not null, and a null key
// to encrypt with. It returns nil for an envelope without a request, which the rules refuse. time is the requestTime in
// the client-management API; a value that is not a string is its JSON.
func (row interfaceRow) readRequest(
	ctx context.Context, body object, list []string,
) (in *registrar.Request, time string, err error) {
	var envelope, values map[string]json.RawMessage
	if json.Unmarshal(body, &envelope) != nil {
		return nil, "", refusal.At(registrar.InvalidRequest, "/body", "must be an object")
	}
	if at := envelope["requestTime"]; row.fields.API == registrar.ProviderAPI && string(at) != "null" &&
		json.Unmarshal(at, &time) != nil {
		time = string(at)
	}
	if row.timed {
		time = cmp.Or(time, registrar.NoRequestTime)
	}
	if raw := envelope["request"]; len(raw) == 0 || string(raw) == "null" {
		return nil, time, nil
	} else if json.Unmarshal(raw, &values) != nil {
		return nil, time, refusal.At(registrar.InvalidRequest, "/request", "must be an object")
	}
	in = &registrar.Request{
		Fixed: map[string]string{}, Given: []string{}, Wrong: map[string]string{}, Ignored: ignoredMembers(ctx),
	}
	update := slices.Contains(list, "status")
	for _, name := range list {
		value := values[name]
		if isNull := string(bytes.TrimSpace(value)) == "null"; value == nil || isNull && members[name].kind != objectMember {
			continue
		} else if !isNull || name == registrar.EncKeyExtension {
			in.Given = append(in.Given, name)
		}
		readMember(in, name, value, update)
	}
	return in, time, nil
}

// readMember reads a member into its field, or adds its type error.
func readMember(in *registrar.Request, name string, value json.RawMessage, update bool) {
	switch members[name].kind {
	case listMember:
		list := map[string]*[]string{
			"userClaims": &in.UserClaims, "authContextRefs": &in.ACRs, "redirectUris": &in.RedirectURIs,
			"grantTypes": &in.GrantTypes, "clientAuthMethods": &in.AuthMethods,
		}[name]
		var elements []json.RawMessage
		if json.Unmarshal(value, &elements) != nil {
			in.Wrong[name] = "must be a list of strings"
		}
		*list = make([]string, len(elements))
		for i, element := range elements {
			(*list)[i] = readText(in, fmt.Sprintf("%s.%d", name, i), element)
		}
	case namesMember:
		var texts map[string]json.RawMessage
		if json.Unmarshal(value, &texts) != nil {
			in.Wrong[name] = "must be an object of names by language"
		}
		in.Extensions.Names = map[string]string{}
		for code, text := range texts {
			in.Extensions.Names[code] = readText(in, name+"."+code, text)
		}
	case objectMember:
		*map[string]*[]byte{
			"publicKey": &in.PublicKey, registrar.ConfigExtension: &in.Extensions.Config,
			registrar.EncKeyExtension: &in.Extensions.EncKey,
		}[name] = value
	default:
		text := readText(in, name, value)
		if update && slices.Contains(fixedMembers, name) {
			in.Fixed[name] = text
			return
		}
		field := map[string]*string{
			"clientId": &in.ClientID, "name": &in.Name, "clientName": &in.Name, "policyId": &in.PolicyID,
			"authPartnerId": &in.PartnerID, "relyingPartyId": &in.PartnerID, "logoUri": &in.LogoURI, "status": &in.Status,
		}[name]
		*field = cmp.Or(*field, text) // clientName precedes name
	}
}

// readText returns a string, and the empty text for null. It adds the type error of another value.
func readText(in *registrar.Request, field string, value json.RawMessage) string {
	var text *string
	if json.Unmarshal(value, &text) != nil {
		in.Wrong[field] = "must be a string, not " + kindOf(value)
	}
	if text == nil {
		return ""
	}
	return *text
}

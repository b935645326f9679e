package clients

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The programs on the page for partners get a mapping and register a client in each way.
func TestThePageForPartners(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(enabled(t), "services/oidc-registrar/docs/partners.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string][]string{}
	for _, m := range regexp.MustCompile("(?s)```(sh|python|ts)\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		blocks[m[1]] = append(blocks[m[1]], m[2])
	}
	if len(blocks["sh"]) != 4 || len(blocks["python"]) != 1 || len(blocks["ts"]) != 1 {
		t.Fatalf("blocks: %v", blocks)
	}
	request, key, partner, standard := blocks["sh"][0], blocks["sh"][1], blocks["sh"][2], blocks["sh"][3]

	env := serve(t)
	base, admin := variable(env, "REGISTRAR_URL"), variable(env, "PARTNER")
	u := use(t, "integrate", nil)
	shell := func(t *testing.T, script string, variables ...string) string {
		t.Helper()
		cmd := u.command("bash", "-euo", "pipefail", "-c", script)
		cmd.Env = append(cmd.Env, append([]string{"REGISTRAR=" + base, "PARTNER=demo-partner"}, variables...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, script, out)
		}
		return string(out)
	}
	call := func(method, path, body string) string {
		t.Helper()
		return shell(t, `curl -sf -X "$METHOD" "$REGISTRAR$PATH_" -H "Authorization: Bearer $ADMIN" -H 'Content-Type: application/json' -d "$BODY"`,
			"METHOD="+method, "PATH_="+path, "ADMIN="+admin, "BODY="+body)
	}
	call("PUT", "/v1/partnermanager/policies/patients", `{"request": {"name": "Patients", "type": "Auth", "status": "ACTIVE",
		"userClaims": ["name"], "authContextRefs": ["mosip:idp:acr:generated-code"]}}`)
	token := "TOKEN=" + variable(env, "PAT")
	var asked struct {
		Response struct {
			Key string `json:"mappingkey"`
		}
	}
	if err := json.NewDecoder(strings.NewReader(shell(t, request, token))).Decode(&asked); err != nil || asked.Response.Key == "" {
		t.Fatalf("the reply to the request has no key: %v", err)
	}
	call("PUT", "/v1/partnermanager/partners/policy/"+asked.Response.Key, `{"request": {"status": "Approved"}}`)
	if out := shell(t, key+partner, token, "POLICY=patients"); !strings.Contains(out, `"status":"ACTIVE"`) {
		t.Errorf("the partner API: %s", out)
	}
	issued := call("POST", "/v1/registrar/admin/initial-access-tokens",
		`{"request": {"authPartnerId": "demo-partner", "policyId": "patients", "uses": 3, "expiresIn": 3600}}`)
	var initial struct{ Response struct{ Token string } }
	if err := json.Unmarshal([]byte(issued), &initial); err != nil {
		t.Fatal(err)
	}
	access := "INITIAL_TOKEN=" + initial.Response.Token
	if out := shell(t, key+standard, access); !strings.Contains(out, `"registration_access_token"`) {
		t.Errorf("the standard API: %s", out)
	}
	t.Run("Python", func(t *testing.T) {
		shell(t, key+"export KEY\npython3 -c \"$PROGRAM\"", access, "PROGRAM="+blocks["python"][0])
	})
	t.Run("TypeScript", func(t *testing.T) {
		if _, err := exec.LookPath("npm"); err != nil {
			t.Skip("npm is not there")
		}
		u := u
		u.t = t
		u.run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
		if err := os.WriteFile(filepath.Join(u.dir, "partner.mts"), []byte(blocks["ts"][0]), 0o600); err != nil {
			t.Fatal(err)
		}
		u.run("node_modules/.bin/tsc", "--target", "ES2022", "--module", "NodeNext", "--strict", "--types", "node", "partner.mts")
		if out := shell(t, key+"export KEY\nnode partner.mjs", access); !strings.HasPrefix(out, "201 ") {
			t.Errorf("TypeScript: %s", out)
		}
	})
}

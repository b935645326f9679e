package api_test

import (
	"strings"
	"testing"
)

func TestAPolicyAndARequestAreDrawn(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove, later)
	request := w.request("p", `"title":"Trip </text><script>x</script>"`)
	w.ana.Post("/v1/wf/tasks/"+task(t, request, "ana")+"/decision", `{"action":"approve"}`).Want(200)
	version, drawn := "/v1/wf/policies/p/versions/1/graph", "/v1/wf/requests/"+request.Response("id")+"/graph"

	both := w.rita.Get(drawn).Want(200)
	same(t, "title", both.Response("title"), "Trip </text><script>x</script>")
	same(t, "description", both.Response("description"),
		"Requested by rita. 1 Stage: In progress. 1 of 2 approvals. ana: approved. bo: has not decided. 2 Later: Pending. the director. All approve. Approved.")
	for query, want := range map[string]struct{ accept, media, begins string }{
		"":                {"image/svg+xml", "image/svg+xml", "<svg "},
		"?format=svg":     {"application/json", "image/svg+xml", "<svg "},
		"?format=mermaid": {"image/svg+xml", "text/vnd.mermaid", "flowchart TD\n"},
		"?format=json":    {"image/svg+xml", "application/json", `{"id":`},
	} {
		for _, path := range []string{version, drawn} {
			reply := w.root.Do("GET", path+query, nil, "Accept", want.accept).Want(200)
			same(t, path+query, reply.Header.Get("Content-Type")+" "+string(reply.Body[:len(want.begins)]), want.media+" "+want.begins)
		}
	}
	for accept, media := range map[string]string{
		"image/avif,image/webp,image/svg+xml,image/*,*/*;q=0.8": "image/svg+xml", // of a browser's img
		"text/vnd.mermaid;q=0.9, image/svg+xml":                 "text/vnd.mermaid",
		"*/*":                                                   "application/json",
		"":                                                      "application/json",
		"text/html":                                             "application/json",
	} {
		same(t, accept, w.root.Do("GET", drawn, nil, "Accept", accept).Want(200).Header.Get("Content-Type"), media)
	}
	if svg := string(w.rita.Get(drawn + "?format=svg").Want(200).Body); strings.Contains(svg, "<script") || !strings.Contains(svg, "Trip &lt;/text&gt;") {
		t.Error("the title is not escaped")
	}

	for _, reader := range []*Client{w.rita, w.ana, w.bo, w.vic} {
		reader.Get(drawn).Want(200)
	}
	w.eve.Get(drawn).Refused(403, "WF-008")
	w.rita.Get(version).Refused(403, "WF-008")
	w.vic.Get(version).Want(200)
	w.root.Get("/v1/wf/policies/p/versions/2/graph").Refused(404, "WF-001")
	w.root.Get("/v1/wf/requests/"+unknownID+"/graph").Refused(404, "WF-003")
	w.root.Get(drawn + "?format=png").Want(422)
}

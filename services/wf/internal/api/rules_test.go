package api_test

import (
	"fmt"
)

// decide decides a task with a comment.
func decide(by *Client, task, action string) Reply {
	return by.Post("/v1/wf/tasks/"+task+"/decision", fmt.Sprintf(`{"action":%q,"comment":"As discussed"}`, action))
}

// read returns the request as the admin sees it.
func (w *callers) read(request Reply) Reply {
	return w.root.Get("/v1/wf/requests/" + request.Response("id")).Want(200)
}

// actions returns the types of the events of a request.
func (w *callers) actions(request Reply) []string {
	return w.root.Get("/v1/wf/requests/" + request.Response("id") + "/events?limit=200").Want(200).Items("type")
}

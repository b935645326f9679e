"""An agent in Python, with the official client and a LangGraph graph."""

import asyncio
import json
import os
import urllib.request
from typing import TypedDict

import httpx2
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

URL = os.environ["WF_URL"]
POLICY = {
    "policy_key": "agent-python",
    "name": "Payments",
    "settings": {"single_use": True},
    "stages": [{"key": "s", "name": "Finance", "approvers": [{"type": "user", "ids": ["ana"]}]}],
}
KEY = POLICY["policy_key"]


def api(token, path, body=None):
    """Calls the API as a person."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": "Bearer " + os.environ[token], "Content-Type": "application/json"}
    request = urllib.request.Request(URL + "/v1/wf" + path, data, headers)
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)["response"]


def create_policy():
    api("ROOT", "/policies", POLICY)
    api("ROOT", "/policies/" + KEY + "/versions/1/activate", {})


def approve(request):
    task = api("ANA", "/requests/" + request)["tasks"][0]["id"]
    api("ANA", "/tasks/" + task + "/decision", {"action": "approve"})


class State(TypedDict, total=False):
    arguments: dict
    request: str
    page: str
    outcome: dict


def graph(call):
    """A graph that pays after an approval. It pauses until its caller resumes it."""

    async def request(state):
        approval = await call("request_approval", policy_key=KEY, context=state["arguments"])
        return {"request": approval["request_id"], "page": approval["page"]}

    def pause(state):
        interrupt(state["page"])

    async def pay(state):
        # The arguments of this step are compared with the approved ones.
        return {"outcome": await call("consume_approval", request_id=state["request"], context=state["arguments"])}

    steps = StateGraph(State)
    steps.add_node("request", request)
    steps.add_node("pause", pause)
    steps.add_node("pay", pay)
    steps.add_edge(START, "request")
    steps.add_edge("request", "pause")
    steps.add_edge("pause", "pay")
    steps.add_edge("pay", END)
    return steps.compile(checkpointer=InMemorySaver())


async def main():
    create_policy()
    http = httpx2.AsyncClient(headers={"Authorization": "Bearer " + os.environ["RITA"]})
    async with http, Client(streamable_http_client(URL + "/v1/wf/mcp", http_client=http)) as client:

        async def call(tool, **arguments):
            result = await client.call_tool(tool, arguments)
            value = json.loads(result.content[0].text)
            assert result.is_error == ("errorCode" in value), result
            assert result.is_error or result.structured_content == value, result
            return value

        names = sorted(tool.name for tool in (await client.list_tools()).tools)
        assert names == ["cancel_approval", "consume_approval", "get_approval", "list_policies", "request_approval"], names
        assert KEY in [policy["key"] for policy in (await call("list_policies"))["policies"]]
        assert (await call("request_approval", policy_key="none", context={}))["errorCode"] == "WF-001"

        agent = graph(call)
        run = {"configurable": {"thread_id": "one"}}
        paused = await agent.ainvoke({"arguments": {"to": "acme", "amount": 100.1, "ref": 2**53 + 1}}, run)
        assert paused["__interrupt__"][0].value == paused["page"], paused
        approve(paused["request"])
        assert (await call("get_approval", request_id=paused["request"], wait=1))["standing"] == "in_force"
        resumed = await agent.ainvoke(Command(resume=True), run)
        assert resumed["outcome"]["standing"] == "consumed", resumed

        run = {"configurable": {"thread_id": "two"}}
        paused = await agent.ainvoke({"arguments": {"to": "acme", "amount": 200}}, run)
        approve(paused["request"])
        await agent.aupdate_state(run, {"arguments": {"to": "acme", "amount": 2000}})
        resumed = await agent.ainvoke(Command(resume=True), run)
        assert resumed["outcome"]["errorCode"] == "WF-007", resumed
        assert (await call("get_approval", request_id=paused["request"]))["standing"] == "in_force"


if __name__ == "__main__":
    asyncio.run(main())

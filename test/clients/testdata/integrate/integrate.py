"""Requests an approval, receives its webhook and reads the result. Needs Python 3.9 or later and no package.

WF_URL, TOKEN_URL, CLIENT_ID, CLIENT_SECRET and WEBHOOK_SECRET (whsec_...) name the service, the issuer and the
endpoint, which posts to this program on PORT. With a file as argument it verifies the vectors of the hash.
"""

import base64
import hashlib
import hmac
import http.server
import json
import os
import sys
import time
import urllib.parse
import urllib.request
from decimal import Decimal


def canonical(value):
    """The canonical form of a document that json.loads has read with parse_float=Decimal."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(canonical(name) + ":" + canonical(value[name]) for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, Decimal):
        text = format(value, "f")
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return "0" if text == "-0" else text
    return json.dumps(value, ensure_ascii=False)


def context_hash(value):
    return "sha256:" + hashlib.sha256(canonical(value).encode()).hexdigest()


def get_token():
    form = urllib.parse.urlencode({"grant_type": "client_credentials"}).encode()
    basic = base64.b64encode(f"{os.environ['CLIENT_ID']}:{os.environ['CLIENT_SECRET']}".encode()).decode()
    request = urllib.request.Request(os.environ["TOKEN_URL"], form, {"Authorization": "Basic " + basic})
    with urllib.request.urlopen(request, timeout=10) as reply:
        return json.load(reply)["access_token"]  # request a new one before expires_in has passed


def call(token, path, body=None, **headers):
    headers |= {"Authorization": "Bearer " + token, "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(os.environ["WF_URL"] + "/v1/wf" + path, data, headers)
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.load(reply)["response"]


def is_signed(headers, body):
    """Verifies a message by Standard Webhooks 1.0.0, scheme v1. The messages of the last five minutes are accepted."""
    message, sent = headers["webhook-id"], headers["webhook-timestamp"]
    if not message or not sent or not sent.isdigit() or abs(time.time() - int(sent)) > 300:
        return False
    key = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
    mac = hmac.new(key, f"{message}.{sent}.".encode() + body, hashlib.sha256).digest()
    want = "v1," + base64.b64encode(mac).decode()
    signatures = (headers["webhook-signature"] or "").split()  # several during a rotation of the secret
    return any(hmac.compare_digest(want.encode(), one.encode()) for one in signatures)


class Receiver(http.server.BaseHTTPRequestHandler):
    seen, ended = set(), set()  # ids of messages, and of requests; keep them in a database, for seven days

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"] or 0))
        signed = is_signed(self.headers, body)
        if signed and self.headers["webhook-id"] not in self.seen:  # a repeat is no other event
            self.seen.add(self.headers["webhook-id"])
            event = json.loads(body)
            if event["type"] in ("request.approved", "request.rejected", "request.cancelled", "request.expired"):
                self.ended.add(event["data"]["request"]["id"])
        self.send_response(204 if signed else 401)
        self.end_headers()

    def log_message(self, *_):
        pass


def main():
    server = http.server.HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver)
    token = get_token()
    context = {"amount": 900.5, "recipient": "Zoë"}
    created = call(token, "/requests", {"policy_key": os.environ["POLICY"], "title": "Invoice 117", "context": context},
                   **{"Idempotency-Key": os.environ["POLICY"] + "-117"})  # a repeat creates nothing
    exact = json.loads(json.dumps(context), parse_float=Decimal)
    if created["context_hash"] != context_hash(exact):
        sys.exit("the service has other content: " + created["context_hash"])
    while created["id"] not in Receiver.ended:
        server.handle_request()
    result = call(token, "/requests/" + created["id"])  # the request is the source, not the message
    if result["status"] != "approved" or result["standing"] != "in_force":
        sys.exit("the request is " + result["status"])
    print("approved", result["id"], result["context_hash"])


def verify_vectors(path):
    with open(path, encoding="utf-8") as file:
        for vector in json.load(file):
            value = json.loads(vector["document"], parse_float=Decimal)
            if (canonical(value), context_hash(value)) != (vector["canonical"], vector["context_hash"]):
                sys.exit(f"{vector['document']}: {canonical(value)} {context_hash(value)}")


if __name__ == "__main__":
    verify_vectors(sys.argv[1]) if len(sys.argv) > 1 else main()

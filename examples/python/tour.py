#!/usr/bin/env python3
"""A tour of the harness wire with Python's standard library: see README.md beside this file."""

import http.client
import json
import os
import random
import sys
import tempfile
import time
import urllib.error
import urllib.request
import uuid

SERVER = os.environ.get("TURNPIKE_URL", "http://127.0.0.1:4400")
KEY = os.environ.get("TURNPIKE_KEY")

# A stream is never silent for longer than 15 seconds.
TIMEOUT_S = 45
# Before a stream that broke is asked for again.
PAUSE_S = 1
MAX_TRIES = 6
BROKEN = (OSError, http.client.HTTPException)


class Refused(Exception):
    """The server refused a request. The message says what to do."""

    def __init__(self, error):
        try:
            facts = json.loads(error.read())["error"]
        except (ValueError, KeyError, TypeError):
            # A gateway answered in place of the server.
            facts = {"retryable": error.code in (502, 503, 504)}
        self.code = facts.get("type", f"HTTP_{error.code}")
        self.retryable = facts.get("retryable", False)
        header = error.headers.get("Retry-After", "")
        after_s = float(header) if header.isdigit() else None
        self.after_s = facts["retryAfterMs"] / 1000 if "retryAfterMs" in facts else after_s
        super().__init__(f"{self.code} {error.code}: {facts.get('message', error.reason)}")


def ask(method, path, body=None, headers=()):
    """Sends a request, and sends it again where that may help: a POST needs an Idempotency-Key for it."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(SERVER + path, data, dict(headers), method=method)
    request.add_header("Content-Type", "application/json")
    if KEY:
        request.add_header("Authorization", f"Bearer {KEY}")
    may_repeat = method == "GET" or "Idempotency-Key" in headers
    for tries in range(1, MAX_TRIES + 1):
        # At random, so that the clients of a server that stopped do not come back together.
        wait_s = random.uniform(0, min(10, 0.25 * 2**tries))
        try:
            return urllib.request.urlopen(request, timeout=TIMEOUT_S)
        except urllib.error.HTTPError as error:
            refused = Refused(error)
            if not (refused.retryable and may_repeat) or tries == MAX_TRIES:
                raise refused from error
            wait_s = wait_s if refused.after_s is None else refused.after_s
            print(f"  ({refused.code}: again in {wait_s:.1f} s)")
        except BROKEN as error:
            if not may_repeat or tries == MAX_TRIES:
                raise
            print(f"  (not reached: {error}; again in {wait_s:.1f} s)")
        time.sleep(wait_s)


def frames(response):
    """The frames of a stream: name, id, data. A blank line ends a frame; comments keep the connection alive."""
    fields = {}
    for line in response:
        name, _, value = line.decode().rstrip("\r\n").partition(":")
        if name or value:
            fields[name] = value[1:] if value.startswith(" ") else value
            continue
        if "data" in fields:
            yield fields["event"], fields["id"], json.loads(fields["data"])
        fields = {}


def run_turn(session_id, message, cut_after=None):
    """Runs a turn: its frames, each once, over as many connections as it takes.

    After `cut_after` frames the first connection is closed, as a network would.
    """
    body = {"sessionId": session_id, "message": message}
    response = ask("POST", "/api/harness/turn", body, {"Idempotency-Key": str(uuid.uuid4())})
    events = f"/api/harness/turns/{response.headers['X-Turn-Id']}/events"
    last_id = None
    # 204: the turn has ended, and `last_id` is that of its last frame.
    while response.status != 204:
        try:
            with response:
                for count, (name, frame_id, data) in enumerate(frames(response), 1):
                    last_id = frame_id
                    yield name, data
                    if name == "process:exit":
                        return
                    if count == cut_after:
                        cut_after = None
                        break
        except BROKEN as error:
            print(f"  (the connection broke: {error})")
        print(f"  (on from {last_id})")
        time.sleep(PAUSE_S)
        response = ask("GET", events, headers={"Last-Event-ID": last_id} if last_id else {})


def show(turn):
    """Prints a turn's text, and how it ended."""
    said = {}
    for name, data in turn:
        if name == "chat:delta":
            said[data["step"]] = said.get(data["step"], "") + data["text"]
        elif name == "step:discard":
            # A worker died: the step runs again, and what it had said is void.
            said[data["step"]] = ""
        elif name == "turn:error":
            print(f"{data['errorType']}: {data['message']} Again? {data.get('retryable', False)}")
        elif name == "turn:end":
            print("".join(said.values()))
            print(data["outcome"])


def main():
    with tempfile.TemporaryDirectory() as folder:
        with ask("POST", "/api/harness/session/create", {"projectRoot": folder}) as response:
            session_id = json.load(response)["session"]["sessionId"]
        print("== A turn whose connection is cut after three frames")
        show(run_turn(session_id, "Count. [[tokens=40 gap=20]]", cut_after=3))
        print("== A refusal")
        try:
            show(run_turn("sess_00000000-0000-4000-8000-000000000000", "Hello"))
        except Refused as refused:
            print(f"{refused} Again? {refused.retryable}")


if __name__ == "__main__":
    try:
        main()
    except BROKEN as error:
        sys.exit(f"The server at {SERVER} cannot be reached ({error}). npm start starts one.")

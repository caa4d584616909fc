#!/usr/bin/env python3
"""A tour of the Python client: see README.md beside this file."""

import sys
import tempfile

from pydantic import BaseModel
from turnpike import ConnectionLostError, Turnpike, TurnpikeError


class Ship(BaseModel):
    name: str
    masts: int


def show(turn):
    """Prints a turn's text, and how it ended."""
    said = {}
    for event in turn:
        if event["event"] == "chat:delta":
            data = event["data"]
            said[data["step"]] = said.get(data["step"], "") + data["text"]
        elif event["event"] == "step:discard":
            # A worker died: the step runs again, and what it had said is void.
            said[event["data"]["step"]] = ""
        elif event["event"] == "approval:request":
            print(f"May it {event['data']['name']}? Yes.")
            client.approvals.approve(event["data"]["approvalId"])
    print("".join(said.values()))
    print(turn.result().outcome)


def tour(folder):
    session_id = client.sessions.create(projectRoot=folder)["sessionId"]
    print("== A turn. Its stream goes on over broken connections")
    show(client.turn(session_id, "Count. [[tokens=40 gap=20]]"))
    print("== A tool that a person allows")
    write = '[[tool=write {"file_path":"notes.txt","content":"Hello"}]]'
    show(client.turn(session_id, f"Make notes.txt {write}"))
    print("== A file, and a turn that reads it")
    file = client.uploads.send("count.txt", b"One, two, three.")
    show(client.turn(session_id, "Read it.", attachments=[file]))
    print("== An object of a model's type")
    ship = client.turn(session_id, "Name a ship.", output=Ship).result().output
    print(type(ship).__name__, sorted(vars(ship)))
    print("== A refusal")
    try:
        client.turn("sess_00000000-0000-4000-8000-000000000000", "Hello")
    except TurnpikeError as refused:
        print(f"{refused} Again? {refused.retryable}")


with Turnpike() as client, tempfile.TemporaryDirectory() as project:
    try:
        tour(project)
    except ConnectionLostError as lost:
        sys.exit(f"{lost} npm start starts one.")

"""The routes, as requests. `_sync.py` and `_async.py` send them."""

from __future__ import annotations

from typing import Any

from ._flows import Call, route
from ._result import schema_of


def turn(session_id: str, message: str, opts: Any, attachments: Any, output: Any) -> Call:
    body: dict[str, Any] = {"sessionId": session_id, "message": message}
    options = dict(opts or {})
    if output is not None:
        options["output"] = {"schema": schema_of(output)}
    if options:
        body["opts"] = options
    if attachments is not None:
        body["attachments"] = [
            file if isinstance(file, str) else file["id"] for file in attachments
        ]
    return Call("POST", "/api/harness/turn", json=body)


def interrupt(turn_id: str) -> Call:
    return Call("POST", route("/api/harness/turns/{}/interrupt", turn_id))


def create_session(wanted: dict[str, Any]) -> Call:
    return Call("POST", "/api/harness/session/create", json=wanted)


def session(method: str, session_id: str, body: Any = None) -> Call:
    return Call(method, route("/api/harness/session/{}", session_id), json=body)


def list_sessions(query: dict[str, Any]) -> Call:
    return Call("GET", "/api/harness/sessions", query=query)


def of_session(session_id: str, what: str, query: dict[str, Any]) -> Call:
    return Call("GET", route("/api/harness/sessions/{}/", session_id) + what, query=query)


def get_turn(turn_id: str) -> Call:
    return Call("GET", route("/api/harness/turns/{}", turn_id))


def list_approvals(folder: str, query: dict[str, Any]) -> Call:
    return Call("GET", f"/api/harness/{folder}", query=query)


def get_approval(folder: str, approval_id: str) -> Call:
    return Call("GET", route(f"/api/harness/{folder}/{{}}", approval_id))


def answer_approval(folder: str, approval_id: str, decision: str, **more: Any) -> Call:
    body = {"decision": decision, **{name: value for name, value in more.items() if value is not None}}
    return Call("POST", route(f"/api/harness/{folder}/{{}}", approval_id), json=body)


def upload(name: str, content: Any) -> Call:
    files = {"files": (name, content, "application/octet-stream")}
    return Call("POST", "/api/harness/attachments", files=files)


def download(file_id: str) -> Call:
    return Call("GET", route("/api/harness/attachments/{}", file_id))

"""The calls of `Turnpike`."""

from __future__ import annotations

from typing import Any, cast

from . import _calls as calls
from . import _flows as flows
from ._sync_connection import Connection
from .types import (
    Approval,
    AwaitedApproval,
    ListedSession,
    Message,
    SessionRecord,
    UploadedFile,
)

# A page, and the cursor of the next one.
SessionPage = tuple[list[ListedSession], "str | None"]
MessagePage = tuple[list[Message], "str | None"]
AwaitedPage = tuple[list[AwaitedApproval], "str | None"]
ApprovalPage = tuple[list[Approval], "str | None"]


class Sessions:
    """Sessions: `client.sessions`."""

    def __init__(self, connection: Connection) -> None:
        self._json = connection.json

    def create(self, **wanted: Any) -> SessionRecord:
        """Creates a session, in the caller's own folder where no `projectRoot` is given."""
        return cast(SessionRecord, self._json(calls.create_session(wanted), "session"))

    def get(self, session_id: str) -> SessionRecord:
        return cast(SessionRecord, self._json(calls.session("GET", session_id), "session"))

    def list(
        self, *, search: str | None = None, cursor: str | None = None, limit: int | None = None
    ) -> SessionPage:
        """The caller's sessions, the last used first. @returns a page of them, and the cursor of the next one."""
        call = calls.list_sessions({"search": search, "cursor": cursor, "limit": limit})
        page = self._json(call)
        return page["sessions"], page.get("nextCursor")

    def messages(
        self, session_id: str, *, cursor: str | None = None, limit: int | None = None
    ) -> MessagePage:
        """The session's messages, oldest first. @returns a page of turns, and the cursor of the next one."""
        query = {"cursor": cursor, "limit": limit}
        page = self._json(calls.of_session(session_id, "messages", query))
        return page["messages"], page.get("nextCursor")

    def rename(self, session_id: str, title: str | None) -> SessionRecord:
        """@param title None: the beginning of its first message."""
        call = calls.session("PATCH", session_id, {"title": title})
        return cast(SessionRecord, self._json(call, "session"))

    def delete(self, session_id: str) -> None:
        """Deletes a session; its active turn is ended first."""
        self._json(calls.session("DELETE", session_id))


class AwaitedApprovals:
    """Questions of other people's turns, for those who decide by their roles: `client.approvals.awaited`."""

    _folder = "awaited-approvals"

    def __init__(self, connection: Connection) -> None:
        self._json = connection.json

    def list(
        self, *, cursor: str | None = None, limit: int | None = None
    ) -> AwaitedPage:
        page = self._json(calls.list_approvals(self._folder, {"cursor": cursor, "limit": limit}))
        return page["approvals"], page.get("nextCursor")

    def get(self, approval_id: str) -> AwaitedApproval:
        call = calls.get_approval(self._folder, approval_id)
        return cast(AwaitedApproval, self._json(call, "approval"))

    def approve(self, approval_id: str) -> AwaitedApproval:
        """Approves the call as it is. It runs once all the people have approved that it awaits."""
        call = calls.answer_approval(self._folder, approval_id, "approve")
        return cast(AwaitedApproval, self._json(call, "approval"))

    def deny(self, approval_id: str, message: str | None = None) -> AwaitedApproval:
        """Denies the call for all. @param message for the model."""
        call = calls.answer_approval(self._folder, approval_id, "deny", message=message)
        return cast(AwaitedApproval, self._json(call, "approval"))


class Approvals:
    """Questions that turns wait for: `client.approvals`. The same answer may be sent again."""

    _folder = "approvals"

    def __init__(self, connection: Connection) -> None:
        self._json = connection.json
        self.awaited = AwaitedApprovals(connection)

    def list(
        self,
        *,
        session_id: str | None = None,
        turn_id: str | None = None,
        status: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> ApprovalPage:
        """@param status `pending` (default) or `all`."""
        query = {"sessionId": session_id, "turnId": turn_id, "status": status}
        call = calls.list_approvals(self._folder, {**query, "cursor": cursor, "limit": limit})
        page = self._json(call)
        return page["approvals"], page.get("nextCursor")

    def get(self, approval_id: str) -> Approval:
        return cast(Approval, self._json(calls.get_approval(self._folder, approval_id), "approval"))

    def approve(self, approval_id: str, *, input: Any = None) -> Approval:
        """@param input replaces the model's."""
        return self._answer(approval_id, "approve", input=input)

    def approve_for_session(
        self, approval_id: str, *, input: Any = None, rule: str | None = None
    ) -> Approval:
        """Approves the call and, for the session, every call with the same input or, with `rule`, under it."""
        return self._answer(approval_id, "approve-session", input=input, rule=rule)

    def deny(self, approval_id: str, message: str | None = None) -> Approval:
        """@param message for the model."""
        return self._answer(approval_id, "deny", message=message)

    def answer(self, approval_id: str, output: Any, *, is_error: bool = False) -> Approval:
        """Answers a client tool's call with its output: a text or any JSON."""
        return self._answer(approval_id, "answer", output=output, isError=is_error)

    def say(self, approval_id: str, content: dict[str, Any] | None = None) -> Approval:
        """Answers what a call asks its person.

        @param content fits the schema in the approval's `question`. None: the page of a link was opened, or the form's
            defaults are enough.
        """
        return self._answer(approval_id, "answer", content=content)

    def dismiss(self, approval_id: str) -> Approval:
        """Closes what a call asks, without an answer."""
        return self._answer(approval_id, "cancel")

    def _answer(self, approval_id: str, decision: str, **more: Any) -> Approval:
        call = calls.answer_approval(self._folder, approval_id, decision, **more)
        return cast(Approval, self._json(call, "approval"))


class Uploads:
    """Files for later turns, and files of messages: `client.uploads`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def send(self, name: str, content: Any) -> UploadedFile:
        """Uploads one file. A turn takes the returned value among its `attachments`.

        @param content bytes, or a file that is open for reading as bytes.
        """
        (uploaded,) = self._connection.json(calls.upload(name, content), "attachments")
        return cast(UploadedFile, uploaded)

    def load(self, file_id: str) -> bytes:
        """Loads a file of a message, or an upload, by its id."""
        flow = flows.call_bytes(self._connection.settings, calls.download(file_id))
        return cast(bytes, self._connection.run(flow))

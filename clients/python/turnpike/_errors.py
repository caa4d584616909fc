"""What a server refuses, and connections that broke."""

from __future__ import annotations

import email.utils
import json
from collections.abc import Mapping
from typing import Any

# Statuses after which the same request may work later, whoever sends them.
_RETRYABLE = frozenset({408, 425, 429})
# From a gateway; Turnpike itself says in its body whether the same request may work later.
_GATEWAY_FAULTS = frozenset({502, 503, 504})


class TurnpikeError(Exception):
    """The server refused the request. The message says what to do."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int,
        retryable: bool,
        retry_after_s: float | None = None,
        request_id: str | None = None,
        details: Any = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        """Stable, for programs: `TURN_IN_PROGRESS`; `HTTP_502` where a gateway answered."""
        self.message = message
        self.status = status
        self.retryable = retryable
        """Whether the same request may work later, with nothing changed."""
        self.retry_after_s = retry_after_s
        """Seconds from the answer after which the server wants the next try."""
        self.request_id = request_id
        """The model provider's id of its request."""
        self.details = details
        """Structured facts beside the message."""

    def __str__(self) -> str:
        return f"{self.code} ({self.status}): {self.message}"


class ConnectionLostError(Exception):
    """The server was not reached, or was silent for too long. The request may have taken effect all the same."""

    def __init__(
        self, message: str, *, turn_id: str | None = None, last_event_id: str | None = None
    ) -> None:
        super().__init__(message)
        self.turn_id = turn_id
        """The turn that was being read: it may go on, and can be followed again."""
        self.last_event_id = last_event_id
        """The last event that was received: pass it to `follow` as `after`."""


def is_final(error: Exception) -> bool:
    """Whether the same request would fail again."""
    return isinstance(error, TurnpikeError) and error.status < 500 and not error.retryable


def unreadable(status: int, what: str) -> TurnpikeError:
    """The error of an answer that no Turnpike gives."""
    message = f"{what}: check that the address is that of a Turnpike server."
    return TurnpikeError("UNREADABLE_ANSWER", message, status=status, retryable=False)


def parse_refusal(
    status: int, headers: Mapping[str, str], body: bytes, now_s: float
) -> TurnpikeError:
    """The error of an answer that is no success. A body in none of Turnpike's forms is a gateway's."""
    found = _parse_body(_record(body))
    code, message, details, advice = found or (f"HTTP_{status}", "", None, {})
    after_ms = advice.get("retryAfterMs")
    after_s = (
        after_ms / 1000
        if isinstance(after_ms, (int, float)) and not isinstance(after_ms, bool)
        else parse_retry_after(headers.get("retry-after"), now_s)
    )
    retryable = advice.get("retryable")
    if not isinstance(retryable, bool):
        # Gateways do not send `retryable`.
        is_gateway = found is None and status in _GATEWAY_FAULTS
        retryable = after_s is not None or status in _RETRYABLE or is_gateway
    request_id = advice.get("requestId")
    return TurnpikeError(
        code,
        message or f"The server answered {status}.",
        status=status,
        retryable=retryable,
        retry_after_s=after_s,
        request_id=request_id if isinstance(request_id, str) else None,
        details=details,
    )


def parse_retry_after(header: str | None, now_s: float) -> float | None:
    """Seconds of the header `Retry-After`, which has seconds or a date; None for no header or an unknown form."""
    text = (header or "").strip()
    if text.isascii() and text.isdigit() and len(text) < 10:
        return float(text)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - now_s)
    except (TypeError, ValueError):
        return None


def _parse_body(body: dict[str, Any]) -> tuple[str, str, Any, dict[str, Any]] | None:
    """Parses the three forms: the API's (`error`), the preferences' (`detail`), the agents' problem details."""
    error, detail, title = body.get("error"), body.get("detail"), body.get("title")
    if isinstance(error, dict) and isinstance(error.get("type"), str):
        return error["type"], _text(error.get("message")), error.get("details"), error
    if isinstance(detail, list):
        wrong = [_text(item.get("msg")) for item in detail if isinstance(item, dict)]
        return "INVALID_REQUEST", "; ".join(wrong), detail, body
    if not isinstance(title, str):
        return None
    code = body["code"] if isinstance(body.get("code"), str) else title
    return code, detail if isinstance(detail, str) else title, body, body


def _record(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""

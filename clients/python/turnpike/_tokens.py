"""Tokens of the application, each used until shortly before its end."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable

# A token is renewed when this much of its life is left, or a quarter of a short one.
_EARLY_S = 30.0


class HeldToken:
    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._token: str | None = None
        self._renew_at: float | None = None

    @property
    def current(self) -> str | None:
        """The token of now; None: the application is to be asked for one."""
        is_old = self._renew_at is not None and self._now() >= self._renew_at
        return None if is_old else self._token

    def keep(self, token: str) -> str:
        self._token, self._renew_at = token, None
        end = _end_of(token)
        if end is not None:
            left = end - self._now()
            self._renew_at = end - min(_EARLY_S, left / 4)
        return token

    def drop(self, token: str) -> None:
        """The server refused this token. Another that came meanwhile stays."""
        if token == self._token:
            self._token = None


def _end_of(token: str) -> float | None:
    """The end that a page token or a JWT says, in seconds since the epoch; None: it says none."""
    parts = token.split(".")
    if len(parts) < 2:
        return None
    payload = parts[1]
    try:
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    except ValueError:
        # It is of another kind, which only its server reads.
        return None
    if not isinstance(claims, dict):
        return None
    if isinstance(claims.get("expiresAt"), (int, float)):
        return float(claims["expiresAt"]) / 1000
    return float(claims["exp"]) if isinstance(claims.get("exp"), (int, float)) else None

"""What a client is made with."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import httpx

from ._flows import Call, Settings


def settings_of(url: str | None, **more: Any) -> Settings:
    address = url or os.environ.get("TURNPIKE_URL") or "http://127.0.0.1:4400"
    if not address.startswith(("http://", "https://")):
        raise ValueError(f"The url {address!r} must begin with http:// or https://")
    return Settings(url=address.rstrip("/"), **more)


def headers_of(key: str | None, headers: Mapping[str, str] | None) -> dict[str, str]:
    found = key or os.environ.get("TURNPIKE_API_KEY")
    return {**(headers or {}), **({"authorization": f"Bearer {found}"} if found else {})}


def timeout_of(stall_s: float) -> httpx.Timeout:
    """Streams say something every 15 s; a connection without a byte for `stall_s` is made anew."""
    return httpx.Timeout(stall_s, connect=min(stall_s, 10.0), pool=None)


def request_of(client: Any, settings: Settings, call: Call, token: str | None) -> httpx.Request:
    given = {name: value for name, value in call.headers.items() if value is not None}
    headers = {**settings.headers, **given}
    if token is not None:
        headers["authorization"] = f"Bearer {token}"
    query = {name: value for name, value in call.query.items() if value is not None}
    content: dict[str, Any] = {} if call.json is None else {"json": call.json}
    if call.files is not None:
        content["files"] = call.files
    # A call that works long, such as a compaction, sends nothing meanwhile.
    timeout = settings.timeout if call.is_stream else timeout_of(settings.max_silence_s)
    request: httpx.Request = client.build_request(
        call.method,
        settings.url + call.path,
        params=query or None,
        headers=headers,
        timeout=timeout,
        **content,
    )
    return request

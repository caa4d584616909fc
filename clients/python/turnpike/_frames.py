"""The frames of an event stream."""

from __future__ import annotations

import codecs
from typing import NamedTuple


class Frame(NamedTuple):
    id: str
    """Blank where the frame has none."""
    event: str
    data: str


class FrameParser:
    """Parses an event stream piece by piece. A piece may end anywhere, in the middle of a letter too."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._rest = ""
        self._clear()

    def feed(self, piece: bytes) -> list[Frame]:
        """The frames that this piece completes. A half one stays until the rest of it comes."""
        self._rest += self._decoder.decode(piece)
        frames: list[Frame] = []
        # A "\r" at the end may be the first half of "\r\n".
        held = self._rest.endswith("\r")
        text = self._rest[:-1] if held else self._rest
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._rest = lines.pop() + ("\r" if held else "")
        for line in lines:
            if line == "":
                frames.extend(self._dispatch())
            else:
                self._read_field(line)
        return frames

    def _read_field(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "id" and "\0" not in value:
            self._id = value

    def _dispatch(self) -> list[Frame]:
        frame = Frame(self._id, self._event, "\n".join(self._data))
        has_data = len(self._data) > 0
        self._clear()
        return [frame] if has_data else []

    def _clear(self) -> None:
        self._id, self._event = "", ""
        self._data: list[str] = []

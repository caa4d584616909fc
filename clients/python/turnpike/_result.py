"""What a turn came to, and the objects that turns end with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

Output = TypeVar("Output")


@dataclass(frozen=True)
class TurnResult(Generic[Output]):
    """The outcome of a turn and its text."""

    turn_id: str
    outcome: str
    """`completed`, `limited`, `interrupted` or `failed`."""
    text: str
    """The model's text without discarded steps; of a turn that was cut off, as far as it came."""
    end: dict[str, Any]
    """The data of `turn:end`: reason, usage, cost."""
    output: Output | None = None
    """The object that a turn was to end with, and ended with."""
    error: dict[str, Any] | None = None
    """The error of a failed turn."""
    notices: list[dict[str, Any]] = field(default_factory=list)
    """What the turn was told beside its answer: `options-ignored` names options that had no effect."""
    rejected_files: list[dict[str, Any]] = field(default_factory=list)
    """Files of the message that were not taken."""


@dataclass
class ResultState:
    """A fold over a turn's events."""

    earlier_text: str = ""
    streaming_text: list[str] = field(default_factory=list)
    complete_text: str | None = None
    output: Any = None
    error: dict[str, Any] | None = None
    end: dict[str, Any] | None = None
    notices: list[dict[str, Any]] = field(default_factory=list)
    rejected_files: list[dict[str, Any]] = field(default_factory=list)

    def add(self, event: dict[str, Any]) -> None:
        name, data = event["event"], event["data"]
        if name == "chat:delta":
            self.streaming_text.append(data["text"])
        elif name == "step:start":
            self.earlier_text += "".join(self.streaming_text)
            self.streaming_text = []
        elif name == "step:discard":
            # Its worker died: the step runs again, and what it had said is void.
            self.streaming_text = []
        elif name == "chat:complete":
            self.complete_text = data["text"]
        elif name == "output:final":
            self.output = data["output"]
        elif name == "turn:error":
            self.error = data
        elif name == "system:notice":
            self.notices.append(data)
        elif name == "attachment:warning":
            self.rejected_files.append(data)
        elif name == "turn:end":
            self.end = data

    def to_result(self, turn_id: str, output: Any) -> TurnResult[Any]:
        """@param output a pydantic model, or None."""
        if self.end is None:
            raise RuntimeError(
                f"Turn {turn_id} was followed from after its end: follow it from the start."
            )
        streamed = self.earlier_text + "".join(self.streaming_text)
        return TurnResult(
            turn_id=turn_id,
            outcome=self.end["outcome"],
            text=streamed if self.complete_text is None else self.complete_text,
            end=self.end,
            output=self.output if self.output is None else to_model(output, self.output),
            error=self.error,
            notices=self.notices,
            rejected_files=self.rejected_files,
        )


def schema_of(output: Any) -> dict[str, Any]:
    """The JSON Schema of a pydantic model of version 1 or 2, or the schema itself."""
    if isinstance(output, dict):
        return output
    for name in ("model_json_schema", "schema"):
        make = getattr(output, name, None)
        if callable(make):
            schema: dict[str, Any] = make()
            return schema
    raise TypeError("output is a pydantic model or a JSON Schema")


def to_model(output: Any, value: Any) -> Any:
    """The value as an object of a pydantic model; as it is where there is none."""
    for name in ("model_validate", "parse_obj"):
        parse = getattr(output, name, None)
        if callable(parse):
            return parse(value)
    return value

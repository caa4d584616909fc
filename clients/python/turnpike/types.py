"""The objects of the API. Generated from its document: `npm run docs` writes this file."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict, Union

class SessionRecord(TypedDict):
    sessionId: str
    projectRoot: str
    persona: str
    mode: str
    origin: NotRequired[Literal["harness", "oracle", "named-agents", "ag-ui", "ai-sdk", "responses", "mcp", "schedules"]]
    createdAt: str
    updatedAt: str
    forkedFrom: NotRequired[ForkPoint]
    title: NotRequired[str]
    replayOf: NotRequired[str]
    claudeSessionId: NotRequired[str]
    bootFingerprint: NotRequired[str]
    bootedAt: NotRequired[str]
    model: NotRequired[str]
    agentConfig: NotRequired[dict[str, int]]
    permissions: NotRequired[PermissionRules]
    projectFiles: NotRequired[Literal["claude"]]
    agents: NotRequired[list[str]]


class ForkPoint(TypedDict):
    sessionId: str
    turnId: str
    position: Literal["before", "after"]


class PermissionRules(TypedDict):
    allow: NotRequired[list[str]]
    ask: NotRequired[list[AskRule]]
    deny: NotRequired[list[str]]


AskRule: TypeAlias = "Union[ApproverRule, str]"

class ApproverRule(TypedDict):
    rule: str
    by: list[str]
    count: float
    notRequester: bool


class ListedSession(TypedDict):
    sessionId: str
    projectRoot: str
    persona: str
    mode: str
    origin: NotRequired[Literal["harness", "oracle", "named-agents", "ag-ui", "ai-sdk", "responses", "mcp", "schedules"]]
    createdAt: str
    updatedAt: str
    forkedFrom: NotRequired[ForkPoint]
    title: NotRequired[str]
    activeTurnId: NotRequired[str]


class Message(TypedDict):
    messageId: str
    turnId: str
    role: Literal["user", "assistant", "system"]
    status: Literal["active", "complete", "cut"]
    createdAt: str
    parts: list[Union[TextPart, ThinkingPart, FilePart, ToolPart]]
    compacted: NotRequired[bool]
    supersededBy: NotRequired[str]
    leftOut: NotRequired[Literal["refused", "too-long", "declined"]]
    afterStep: NotRequired[int]
    notice: NotRequired[Notice]
    steps: NotRequired[list[Step]]


class TextPart(TypedDict):
    type: Literal["text"]
    text: str


class ThinkingPart(TypedDict):
    type: Literal["thinking"]
    text: str


class FilePart(TypedDict):
    type: Literal["file"]
    id: str
    name: str
    path: NotRequired[str]
    mimeType: str
    size: int
    url: str
    leftOut: NotRequired[bool]


class ToolPart(TypedDict):
    type: Literal["tool"]
    toolUseId: str
    name: str
    input: Any
    status: str
    output: str
    files: NotRequired[list[OutputFile]]
    leftOut: NotRequired[bool]


class OutputFile(TypedDict):
    id: str
    name: str
    mimeType: str
    size: int
    url: str


class Notice(TypedDict):
    kind: str
    text: str
    metadata: Any
    seenByModel: bool


class Step(TypedDict):
    stepId: str
    step: int
    status: Literal["completed", "abort", "error"]
    stopReason: Literal["end_turn", "tool_use", "max_tokens", "pause_turn", "refusal", "stop_sequence", "context_window", "interrupted", "failed"]
    usage: Usage
    model: NotRequired[str]
    cacheMiss: NotRequired[CacheMiss]
    startedAt: str
    endedAt: str
    parts: list[Union[TextPart, ThinkingPart, FilePart, ToolPart]]
    notices: list[Notice]


class Usage(TypedDict):
    inputTokens: int
    outputTokens: int
    cacheReadTokens: int
    cacheWriteTokens: int
    cacheWrite5mTokens: NotRequired[int]
    cacheWrite1hTokens: NotRequired[int]
    thinkingTokens: NotRequired[int]
    addedTokens: NotRequired[int]
    costUsd: NotRequired[float]
    webSearches: NotRequired[int]


class CacheMiss(TypedDict):
    tokens: int
    cause: Literal["model-changed", "place-changed", "tools-changed", "system-changed", "messages-changed", "expired", "unknown"]
    usd: NotRequired[float]


class TurnRecord(TypedDict):
    replaces: NotRequired[str]
    supersededBy: NotRequired[str]
    copiedFrom: NotRequired[str]
    turnId: str
    sessionId: str
    parentTurnId: NotRequired[str]
    parentToolUseId: NotRequired[str]
    status: Literal["held", "queued", "running", "waiting", "completed", "limited", "interrupted", "failed"]
    attempt: int
    options: ResolvedOptions
    provenance: OptionProvenance
    optionProblems: list[OptionProblem]
    delegation: SubagentDecision
    usage: Usage
    exitCode: int
    endReason: str
    error: TurnFailure
    output: dict[str, Any]
    cancelRequestedAt: str
    createdAt: str
    startedAt: str
    endedAt: str
    replayOf: NotRequired[str]
    eventsUrl: str


class ResolvedOptions(TypedDict):
    model: str
    fallbackModel: NotRequired[str]
    fallbackModels: NotRequired[list[str]]
    fallbackFrom: NotRequired[str]
    fallbackStep: NotRequired[float]
    tools: list[str]
    skills: NotRequired[list[str]]
    maxTurns: float
    persona: str
    mode: Literal["acceptEdits", "direct", "dontAsk", "plan"]
    onDisconnect: OnDisconnect
    onBusy: Literal["enqueue", "interrupt", "reject", "steer"]
    priority: Priority
    maxTokens: NotRequired[float]
    thinking: ThinkingChoice
    citations: bool
    memory: NotRequired[bool]
    attachmentsAs: AttachmentsAs
    clientTools: NotRequired[list[ClientTool]]
    prompt: NotRequired[PromptChoice]
    output: NotRequired[OutputTerms]
    costLimit: NotRequired[CostLimit]
    contextNodes: NotRequired[float]
    subagents: NotRequired[SubagentTerms]
    agentConfig: AgentConfig
    decisionTree: NotRequired[str]
    subagentGovernance: NotRequired[Any]


OnDisconnect: TypeAlias = "Literal['cancel', 'continue']"

Priority: TypeAlias = "Literal['background', 'normal']"

ThinkingChoice: TypeAlias = "Union[bool, ThinkingChoice2]"

class ThinkingChoice2(TypedDict):
    display: NotRequired[Literal["omitted", "summarized"]]
    effort: NotRequired[Literal["high", "low", "max", "medium", "xhigh"]]


AttachmentsAs: TypeAlias = "Literal['native', 'text']"

class ClientTool(TypedDict):
    name: str
    description: str
    inputSchema: JsonObject


JsonObject: TypeAlias = "dict[str, Any]"

class PromptChoice(TypedDict):
    server: str
    name: str
    arguments: NotRequired[dict[str, str]]


class OutputTerms(TypedDict):
    schema: JsonObject
    repairs: float


class CostLimit(TypedDict):
    usd: float
    price: Price


class Price(TypedDict):
    input: float
    output: float
    cacheWrite5m: NotRequired[float]
    cacheWrite1h: NotRequired[float]
    cacheRead: NotRequired[float]
    webSearches: NotRequired[float]
    longPrompt: NotRequired[PriceLongPrompt]


class PriceLongPrompt(TypedDict):
    above: float
    cacheRead: NotRequired[float]
    cacheWrite1h: NotRequired[float]
    cacheWrite5m: NotRequired[float]
    input: float
    output: float
    webSearches: NotRequired[float]


class SubagentTerms(TypedDict):
    model: NotRequired[str]
    timeoutSeconds: NotRequired[float]


class AgentConfig(TypedDict):
    maxIterations: float
    softWarningPercent: float
    tokenBudget: float
    tokenWarningPercent: float
    timeoutSeconds: float
    maxToolCallsPerTurn: float
    maxParallelTools: float


class OptionProvenance(TypedDict):
    persona: Provenance
    output: Provenance
    mode: Provenance
    model: Provenance
    fallbackModel: Provenance
    fallbackModels: Provenance
    tools: Provenance
    maxTurns: Provenance
    onDisconnect: Provenance
    onBusy: Provenance
    priority: Provenance
    maxTokens: Provenance
    thinking: Provenance
    citations: Provenance
    attachmentsAs: Provenance
    subagentGovernance: Provenance
    memory: NotRequired[Literal["default", "environment", "fallback", "instructions", "opts", "persona", "session", "user"]]
    agentConfig: OptionProvenanceAgentConfig


Provenance: TypeAlias = "Literal['default', 'environment', 'fallback', 'instructions', 'opts', 'persona', 'session', 'user']"

class OptionProvenanceAgentConfig(TypedDict):
    maxIterations: Provenance
    maxParallelTools: Provenance
    maxToolCallsPerTurn: Provenance
    softWarningPercent: Provenance
    timeoutSeconds: Provenance
    tokenBudget: Provenance
    tokenWarningPercent: Provenance


OptionProblem: TypeAlias = "Union[OptionProblem1, OptionProblem2, OptionProblem3, OptionProblem4, OptionProblem5, OptionProblem6]"

class OptionProblem1(TypedDict):
    count: float
    kind: Literal["more-unknown"]


OptionProblem2 = TypedDict(
    "OptionProblem2",
    {
        "expected": 'str',
        "from": 'Provenance',
        "key": 'str',
        "kind": 'Literal["invalid"]',
        "using": 'Any',
    },
)

OptionProblem3 = TypedDict(
    "OptionProblem3",
    {
        "from": 'Provenance',
        "given": 'str',
        "key": 'Literal["mode"]',
        "kind": 'Literal["held-mode"]',
        "reason": 'str',
        "using": 'str',
    },
)

class OptionProblem4(TypedDict):
    key: str
    kind: Literal["unknown"]


class OptionProblem5(TypedDict):
    key: str
    kind: Literal["without-effect"]
    reason: str


class OptionProblem6(TypedDict):
    kind: Literal["not-an-object"]


class SubagentDecision(TypedDict):
    evaluationMs: float
    allowlistedSubagents: list[str]
    delegatedSubagents: list[str]
    allowed: bool
    gate: SubagentGateId
    reason: str
    approvalRef: NotRequired[str]
    approvedBy: NotRequired[str]


SubagentGateId: TypeAlias = "Literal['ALLOW', 'APPROVAL_REF', 'CONTEXT_SEALED', 'ENVIRONMENT', 'INTERNAL_ERROR', 'METADATA_PRESENCE', 'PERSONA_ALLOWLIST', 'PIPELINE_RUN_APPROVED']"

class TurnFailure(TypedDict):
    errorType: Literal["APPROVAL_NOT_FOUND", "APPROVAL_RESOLVED", "ATTACHMENT_FAILURE", "ATTACHMENT_NOT_FOUND", "ATTEMPTS_EXHAUSTED", "BODY_CONSUMED", "BODY_TOO_LARGE", "BUDGET_EXHAUSTED", "CLIENT_LEFT", "CONSOLE_NOT_BUILT", "DECISION_TREE_NOT_FOUND", "EXTENSION_FAILURE", "FEEDBACK_LIMIT", "FEEDBACK_NOT_FOUND", "FILE_TOO_LARGE", "FORBIDDEN_AGENT", "FORBIDDEN_APPROVER", "FORBIDDEN_CREDENTIAL", "FORBIDDEN_FOR_PAGE", "FORBIDDEN_ORIGIN", "FORBIDDEN_PRINCIPAL", "FORBIDDEN_ROLE", "FORBIDDEN_SCOPE", "IDEMPOTENCY_KEY_REUSED", "IMPORT_INVALID", "IMPORT_TOO_NEW", "INSTRUCTION_ROOT_INVALID", "INTERRUPTED", "INVALID_REQUEST", "ISSUER_UNAVAILABLE", "KEY_NOT_FOUND", "LOGIN_REFUSED", "MCP_LOGIN_NOT_FOUND", "MCP_LOGIN_REFUSED", "MCP_LOGIN_UNAVAILABLE", "MCP_PROMPT_FAILURE", "MEMORY_CHANGED", "MEMORY_FILE_NOT_FOUND", "MEMORY_FULL", "MEMORY_OFF", "METHOD_NOT_ALLOWED", "MISSING_API_KEY", "NO_APPROVERS", "NO_MASTER_KEY", "OUTPUT_INVALID", "PERSONA_NOT_FOUND", "QUEUE_FULL", "QUEUE_UNAVAILABLE", "RATE_LIMITED", "REQUEST_TIMEOUT", "ROUTE_NOT_FOUND", "SCHEDULE_EXISTS", "SCHEDULE_LIMIT", "SCHEDULE_NOT_FOUND", "SCHEDULE_PAUSED", "SDK_FAILURE", "SECRET_UNREADABLE", "SESSION_LIMIT", "SESSION_NOT_FOUND", "SESSION_QUEUE_FULL", "SHUTTING_DOWN", "STORAGE_FULL", "STORAGE_READ_ONLY", "STORAGE_UNAVAILABLE", "STREAM_EXPIRED", "TOOL_NOT_FOUND", "TOOL_TRIAL_DENIED", "TOOL_TRIAL_UNCONFIRMED", "TOOL_TRIAL_UNSUPPORTED", "TOO_MANY_READERS", "TOO_MANY_TURNS", "TURN_IN_PROGRESS", "TURN_NOT_FOUND", "TURN_SUPERSEDED", "UNAUTHENTICATED", "UNSUPPORTED_MEDIA_TYPE", "WEBHOOK_DELIVERY_NOT_FOUND", "WEBHOOK_DISABLED", "WEBHOOK_LIMIT", "WEBHOOK_NOT_FOUND", "WEBHOOK_URL_REFUSED", "WORKING_ROOT_CONFLICT", "WORKING_ROOT_INACCESSIBLE"]
    message: str
    status: float
    details: NotRequired[Any]
    retryable: bool
    retryAfterMs: NotRequired[float]
    requestId: NotRequired[str]


class TurnOptions(TypedDict):
    model: NotRequired[str]
    fallbackModel: NotRequired[str]
    fallbackModels: NotRequired[list[str]]
    tools: NotRequired[list[str]]
    skills: NotRequired[list[str]]
    maxTurns: NotRequired[int]
    maxTokens: NotRequired[int]
    maxCostUsd: NotRequired[float]
    persona: NotRequired[str]
    mode: NotRequired[str]
    onDisconnect: NotRequired[Literal["cancel", "continue"]]
    onBusy: NotRequired[Literal["reject", "enqueue", "interrupt", "steer"]]
    priority: NotRequired[Literal["normal", "background"]]
    thinking: NotRequired[Union[bool, TurnOptionsThinking2]]
    citations: NotRequired[bool]
    memory: NotRequired[bool]
    attachmentsAs: NotRequired[Literal["native", "text"]]
    output: NotRequired[TurnOptionsOutput]
    clientTools: NotRequired[list[TurnOptionsClientToolsItem]]
    prompt: NotRequired[TurnOptionsPrompt]
    replaces: NotRequired[str]
    agentConfig: NotRequired[AgentConfig]
    subagentGovernance: NotRequired[dict[str, Any]]


class TurnOptionsThinking2(TypedDict):
    effort: NotRequired[Literal["low", "medium", "high", "xhigh", "max"]]
    display: NotRequired[Literal["summarized", "omitted"]]


class TurnOptionsOutput(TypedDict):
    schema: dict[str, Any]
    repairs: NotRequired[int]


class TurnOptionsClientToolsItem(TypedDict):
    name: str
    description: str
    inputSchema: dict[str, Any]


class TurnOptionsPrompt(TypedDict):
    server: str
    name: str
    arguments: NotRequired[dict[str, str]]


class Approval(TypedDict):
    approvalId: str
    turnId: str
    sessionId: str
    toolUseId: str
    kind: Literal["tool", "unknown-outcome", "client-tool", "elicitation", "mcp-authorize"]
    name: str
    input: JsonObject
    reason: str
    question: NotRequired[JsonObject]
    status: Literal["pending", "resolved"]
    onTimeout: Literal["approve", "deny"]
    createdAt: str
    expiresAt: str
    decision: NotRequired[Literal["approve", "approve-session", "deny", "answer", "cancel", "cancelled"]]
    by: NotRequired[str]
    message: NotRequired[str]
    editedInput: NotRequired[JsonObject]
    decidedAt: NotRequired[str]
    awaits: NotRequired[list[AwaitedPeople]]
    answers: NotRequired[list[ApproverAnswer]]
    session: ApprovalSession


class AwaitedPeople(TypedDict):
    by: list[str]
    count: int
    notRequester: bool
    approved: int


ApproverAnswer = TypedDict(
    "ApproverAnswer",
    {
        "by": 'str',
        "decision": 'Literal["approve", "deny"]',
        "as": 'list[str]',
        "at": 'str',
    },
)

class ApprovalSession(TypedDict):
    title: NotRequired[str]
    projectRoot: str
    persona: str


class AwaitedApproval(TypedDict):
    kind: Literal["tool", "unknown-outcome", "client-tool", "elicitation", "mcp-authorize"]
    input: JsonObject
    status: Literal["pending", "resolved"]
    onTimeout: Literal["approve", "deny"]
    createdAt: str
    expiresAt: str
    decision: NotRequired[Literal["approve", "approve-session", "deny", "answer", "cancel", "cancelled"]]
    decidedAt: NotRequired[str]
    approvalId: str
    name: str
    reason: str
    by: NotRequired[str]
    message: NotRequired[str]
    agent: str
    requester: str
    awaits: list[AwaitedPeople]
    answers: list[ApproverAnswer]
    isAwaitingMe: bool


class UploadedFile(TypedDict):
    id: str
    name: str
    mimeType: str
    size: int
    changed: NotRequired[str]


class SessionInitData(TypedDict):
    agent: str
    claudeSessionId: str
    filesReverted: NotRequired[Literal[False]]
    messageId: str
    model: str
    replaces: NotRequired[str]
    resumed: bool
    sessionId: str


class SessionInitEvent(TypedDict):
    event: Literal["session:init"]
    id: str
    data: SessionInitData


class ChatDeltaData(TypedDict):
    step: float
    text: str


class ChatDeltaEvent(TypedDict):
    event: Literal["chat:delta"]
    id: str
    data: ChatDeltaData


class ThinkingDeltaData(TypedDict):
    step: float
    text: str


class ThinkingDeltaEvent(TypedDict):
    event: Literal["thinking:delta"]
    id: str
    data: ThinkingDeltaData


class SourceDataLocation(TypedDict):
    end: float
    start: float
    unit: Literal["block", "char", "page"]


class SourceData(TypedDict):
    citedText: NotRequired[str]
    location: NotRequired[SourceDataLocation]
    step: float
    title: str
    type: str
    url: NotRequired[str]


class SourceEvent(TypedDict):
    event: Literal["source"]
    id: str
    data: SourceData


class ToolRequestData(TypedDict):
    by: NotRequired[Literal["provider"]]
    name: str
    step: float
    toolUseId: str


class ToolRequestEvent(TypedDict):
    event: Literal["tool:request"]
    id: str
    data: ToolRequestData


class ToolArgsData(TypedDict):
    json: str
    toolUseId: str


class ToolArgsEvent(TypedDict):
    event: Literal["tool:args"]
    id: str
    data: ToolArgsData


class ToolStartData(TypedDict):
    input: Any
    name: str
    toolUseId: str


class ToolStartEvent(TypedDict):
    event: Literal["tool:start"]
    id: str
    data: ToolStartData


class ToolProgressData(TypedDict):
    elapsedMs: float
    note: str
    toolUseId: str


class ToolProgressEvent(TypedDict):
    event: Literal["tool:progress"]
    id: str
    data: ToolProgressData


class ToolResultData(TypedDict):
    durationMs: float
    files: NotRequired[list[OutputFile]]
    name: str
    ok: bool
    output: str
    status: Literal["denied", "error", "success", "unknown"]
    toolUseId: str


class ToolResultEvent(TypedDict):
    event: Literal["tool:result"]
    id: str
    data: ToolResultData


class StepStartData(TypedDict):
    step: float


class StepStartEvent(TypedDict):
    event: Literal["step:start"]
    id: str
    data: StepStartData


class StepDiscardData(TypedDict):
    step: float


class StepDiscardEvent(TypedDict):
    event: Literal["step:discard"]
    id: str
    data: StepDiscardData


class StepEndData(TypedDict):
    step: float
    stopReason: Literal["context_window", "end_turn", "failed", "interrupted", "max_tokens", "pause_turn", "refusal", "stop_sequence", "tool_use"]
    usage: Usage


class StepEndEvent(TypedDict):
    event: Literal["step:end"]
    id: str
    data: StepEndData


class TurnQueuedData(TypedDict):
    position: float
    reason: NotRequired[Literal["queue-unavailable"]]


class TurnQueuedEvent(TypedDict):
    event: Literal["turn:queued"]
    id: str
    data: TurnQueuedData


class TurnRecoveringData(TypedDict):
    attempt: float
    reason: str


class TurnRecoveringEvent(TypedDict):
    event: Literal["turn:recovering"]
    id: str
    data: TurnRecoveringData


class ApprovalRequestDataAwaitsItem(TypedDict):
    by: list[str]
    count: float
    notRequester: bool


class ApprovalRequestData(TypedDict):
    approvalId: str
    awaits: NotRequired[list[ApprovalRequestDataAwaitsItem]]
    expiresAt: str
    input: Any
    kind: Literal["client-tool", "elicitation", "mcp-authorize", "tool", "unknown-outcome"]
    name: str
    onTimeout: Literal["approve", "deny"]
    question: NotRequired[JsonObject]
    reason: str
    toolUseId: str


class ApprovalRequestEvent(TypedDict):
    event: Literal["approval:request"]
    id: str
    data: ApprovalRequestData


class ApprovalResolveData(TypedDict):
    approvalId: str
    by: str
    decision: Literal["answer", "approve", "approve-session", "cancel", "cancelled", "deny"]
    input: NotRequired[Any]
    message: NotRequired[str]
    toolUseId: str


class ApprovalResolveEvent(TypedDict):
    event: Literal["approval:resolve"]
    id: str
    data: ApprovalResolveData


class TurnParkedData(TypedDict):
    approvalIds: list[str]


class TurnParkedEvent(TypedDict):
    event: Literal["turn:parked"]
    id: str
    data: TurnParkedData


class MessageJoinedData(TypedDict):
    afterStep: float
    messageId: str
    text: str


class MessageJoinedEvent(TypedDict):
    event: Literal["message:joined"]
    id: str
    data: MessageJoinedData


class SubagentStartData(TypedDict):
    agent: str
    childTurnId: str
    toolUseId: str


class SubagentStartEvent(TypedDict):
    event: Literal["subagent:start"]
    id: str
    data: SubagentStartData


class SubagentEndData(TypedDict):
    childTurnId: str
    outcome: Literal["completed", "failed", "interrupted", "limited"]
    toolUseId: str
    usage: Usage


class SubagentEndEvent(TypedDict):
    event: Literal["subagent:end"]
    id: str
    data: SubagentEndData


class AttachmentWarningData(TypedDict):
    index: NotRequired[float]
    name: str
    reason: str


class AttachmentWarningEvent(TypedDict):
    event: Literal["attachment:warning"]
    id: str
    data: AttachmentWarningData


class SystemNoticeData(TypedDict):
    kind: str
    level: Literal["message", "step"]
    metadata: NotRequired[dict[str, Any]]
    seenByModel: bool
    text: str


class SystemNoticeEvent(TypedDict):
    event: Literal["system:notice"]
    id: str
    data: SystemNoticeData


class OutputPartialData(TypedDict):
    output: JsonObject
    step: float


class OutputPartialEvent(TypedDict):
    event: Literal["output:partial"]
    id: str
    data: OutputPartialData


class OutputFinalData(TypedDict):
    output: JsonObject


class OutputFinalEvent(TypedDict):
    event: Literal["output:final"]
    id: str
    data: OutputFinalData


class ChatCompleteData(TypedDict):
    text: str


class ChatCompleteEvent(TypedDict):
    event: Literal["chat:complete"]
    id: str
    data: ChatCompleteData


class SessionCompleteEvent(TypedDict):
    event: Literal["session:complete"]
    id: str
    data: dict[str, Any]


class SessionReauthenticateData(TypedDict):
    reason: Literal["ended", "expired"]


class SessionReauthenticateEvent(TypedDict):
    event: Literal["session:reauthenticate"]
    id: str
    data: SessionReauthenticateData


class TurnStalledData(TypedDict):
    leaseUntil: str
    silentMs: float


class TurnStalledEvent(TypedDict):
    event: Literal["turn:stalled"]
    id: str
    data: TurnStalledData


class TurnErrorData(TypedDict):
    details: NotRequired[Any]
    errorType: Literal["APPROVAL_NOT_FOUND", "APPROVAL_RESOLVED", "ATTACHMENT_FAILURE", "ATTACHMENT_NOT_FOUND", "ATTEMPTS_EXHAUSTED", "BODY_CONSUMED", "BODY_TOO_LARGE", "BUDGET_EXHAUSTED", "CLIENT_LEFT", "CONSOLE_NOT_BUILT", "DECISION_TREE_NOT_FOUND", "EXTENSION_FAILURE", "FEEDBACK_LIMIT", "FEEDBACK_NOT_FOUND", "FILE_TOO_LARGE", "FORBIDDEN_AGENT", "FORBIDDEN_APPROVER", "FORBIDDEN_CREDENTIAL", "FORBIDDEN_FOR_PAGE", "FORBIDDEN_ORIGIN", "FORBIDDEN_PRINCIPAL", "FORBIDDEN_ROLE", "FORBIDDEN_SCOPE", "IDEMPOTENCY_KEY_REUSED", "IMPORT_INVALID", "IMPORT_TOO_NEW", "INSTRUCTION_ROOT_INVALID", "INTERRUPTED", "INVALID_REQUEST", "ISSUER_UNAVAILABLE", "KEY_NOT_FOUND", "LOGIN_REFUSED", "MCP_LOGIN_NOT_FOUND", "MCP_LOGIN_REFUSED", "MCP_LOGIN_UNAVAILABLE", "MCP_PROMPT_FAILURE", "MEMORY_CHANGED", "MEMORY_FILE_NOT_FOUND", "MEMORY_FULL", "MEMORY_OFF", "METHOD_NOT_ALLOWED", "MISSING_API_KEY", "NO_APPROVERS", "NO_MASTER_KEY", "OUTPUT_INVALID", "PERSONA_NOT_FOUND", "QUEUE_FULL", "QUEUE_UNAVAILABLE", "RATE_LIMITED", "REQUEST_TIMEOUT", "ROUTE_NOT_FOUND", "SCHEDULE_EXISTS", "SCHEDULE_LIMIT", "SCHEDULE_NOT_FOUND", "SCHEDULE_PAUSED", "SDK_FAILURE", "SECRET_UNREADABLE", "SESSION_LIMIT", "SESSION_NOT_FOUND", "SESSION_QUEUE_FULL", "SHUTTING_DOWN", "STORAGE_FULL", "STORAGE_READ_ONLY", "STORAGE_UNAVAILABLE", "STREAM_EXPIRED", "TOOL_NOT_FOUND", "TOOL_TRIAL_DENIED", "TOOL_TRIAL_UNCONFIRMED", "TOOL_TRIAL_UNSUPPORTED", "TOO_MANY_READERS", "TOO_MANY_TURNS", "TURN_IN_PROGRESS", "TURN_NOT_FOUND", "TURN_SUPERSEDED", "UNAUTHENTICATED", "UNSUPPORTED_MEDIA_TYPE", "WEBHOOK_DELIVERY_NOT_FOUND", "WEBHOOK_DISABLED", "WEBHOOK_LIMIT", "WEBHOOK_NOT_FOUND", "WEBHOOK_URL_REFUSED", "WORKING_ROOT_CONFLICT", "WORKING_ROOT_INACCESSIBLE"]
    fatal: bool
    message: str
    phase: Literal["mid-stream"]
    requestId: NotRequired[str]
    retryAfterMs: NotRequired[float]
    retryable: bool
    severity: Literal["error", "warning"]
    status: float


class TurnErrorEvent(TypedDict):
    event: Literal["turn:error"]
    id: str
    data: TurnErrorData


class TurnEndData(TypedDict):
    durationMs: float
    exitCode: float
    outcome: Literal["completed", "failed", "interrupted", "limited"]
    reason: str
    usage: Usage


class TurnEndEvent(TypedDict):
    event: Literal["turn:end"]
    id: str
    data: TurnEndData


class ProcessExitData(TypedDict):
    error: NotRequired[str]
    errorDetails: NotRequired[Any]
    errorType: NotRequired[Literal["APPROVAL_NOT_FOUND", "APPROVAL_RESOLVED", "ATTACHMENT_FAILURE", "ATTACHMENT_NOT_FOUND", "ATTEMPTS_EXHAUSTED", "BODY_CONSUMED", "BODY_TOO_LARGE", "BUDGET_EXHAUSTED", "CLIENT_LEFT", "CONSOLE_NOT_BUILT", "DECISION_TREE_NOT_FOUND", "EXTENSION_FAILURE", "FEEDBACK_LIMIT", "FEEDBACK_NOT_FOUND", "FILE_TOO_LARGE", "FORBIDDEN_AGENT", "FORBIDDEN_APPROVER", "FORBIDDEN_CREDENTIAL", "FORBIDDEN_FOR_PAGE", "FORBIDDEN_ORIGIN", "FORBIDDEN_PRINCIPAL", "FORBIDDEN_ROLE", "FORBIDDEN_SCOPE", "IDEMPOTENCY_KEY_REUSED", "IMPORT_INVALID", "IMPORT_TOO_NEW", "INSTRUCTION_ROOT_INVALID", "INTERRUPTED", "INVALID_REQUEST", "ISSUER_UNAVAILABLE", "KEY_NOT_FOUND", "LOGIN_REFUSED", "MCP_LOGIN_NOT_FOUND", "MCP_LOGIN_REFUSED", "MCP_LOGIN_UNAVAILABLE", "MCP_PROMPT_FAILURE", "MEMORY_CHANGED", "MEMORY_FILE_NOT_FOUND", "MEMORY_FULL", "MEMORY_OFF", "METHOD_NOT_ALLOWED", "MISSING_API_KEY", "NO_APPROVERS", "NO_MASTER_KEY", "OUTPUT_INVALID", "PERSONA_NOT_FOUND", "QUEUE_FULL", "QUEUE_UNAVAILABLE", "RATE_LIMITED", "REQUEST_TIMEOUT", "ROUTE_NOT_FOUND", "SCHEDULE_EXISTS", "SCHEDULE_LIMIT", "SCHEDULE_NOT_FOUND", "SCHEDULE_PAUSED", "SDK_FAILURE", "SECRET_UNREADABLE", "SESSION_LIMIT", "SESSION_NOT_FOUND", "SESSION_QUEUE_FULL", "SHUTTING_DOWN", "STORAGE_FULL", "STORAGE_READ_ONLY", "STORAGE_UNAVAILABLE", "STREAM_EXPIRED", "TOOL_NOT_FOUND", "TOOL_TRIAL_DENIED", "TOOL_TRIAL_UNCONFIRMED", "TOOL_TRIAL_UNSUPPORTED", "TOO_MANY_READERS", "TOO_MANY_TURNS", "TURN_IN_PROGRESS", "TURN_NOT_FOUND", "TURN_SUPERSEDED", "UNAUTHENTICATED", "UNSUPPORTED_MEDIA_TYPE", "WEBHOOK_DELIVERY_NOT_FOUND", "WEBHOOK_DISABLED", "WEBHOOK_LIMIT", "WEBHOOK_NOT_FOUND", "WEBHOOK_URL_REFUSED", "WORKING_ROOT_CONFLICT", "WORKING_ROOT_INACCESSIBLE"]]
    exitCode: float
    fatal: NotRequired[bool]
    interrupted: NotRequired[bool]
    severity: NotRequired[Literal["error", "warning"]]
    status: NotRequired[float]


class ProcessExitEvent(TypedDict):
    event: Literal["process:exit"]
    id: str
    data: ProcessExitData


HarnessEvent = Union[
    SessionInitEvent,
    ChatDeltaEvent,
    ThinkingDeltaEvent,
    SourceEvent,
    ToolRequestEvent,
    ToolArgsEvent,
    ToolStartEvent,
    ToolProgressEvent,
    ToolResultEvent,
    StepStartEvent,
    StepDiscardEvent,
    StepEndEvent,
    TurnQueuedEvent,
    TurnRecoveringEvent,
    ApprovalRequestEvent,
    ApprovalResolveEvent,
    TurnParkedEvent,
    MessageJoinedEvent,
    SubagentStartEvent,
    SubagentEndEvent,
    AttachmentWarningEvent,
    SystemNoticeEvent,
    OutputPartialEvent,
    OutputFinalEvent,
    ChatCompleteEvent,
    SessionCompleteEvent,
    SessionReauthenticateEvent,
    TurnStalledEvent,
    TurnErrorEvent,
    TurnEndEvent,
    ProcessExitEvent,
]
"""An event of a turn. A newer server may send others; those of subagents have the prefix `subagent:`."""

/** What the doc comments and types of shapes and routes say. `npm run docs` writes it. */
import * as access_keys_admin_controller from '../access/keys/admin.controller.js';
import * as access_keys_admin_dto from '../access/keys/admin.dto.js';
import * as access_keys_audit_page_dto from '../access/keys/audit-page.dto.js';
import * as access_keys_audit_query_dto from '../access/keys/audit-query.dto.js';
import * as access_new_key_dto from '../access/new-key.dto.js';
import * as access_usage_controller from '../access/usage.controller.js';
import * as access_usage_dto from '../access/usage.dto.js';
import * as attachments_upload_upload_controller from '../attachments/upload/upload.controller.js';
import * as attachments_upload_uploaded_dto from '../attachments/upload/uploaded.dto.js';
import * as data_data_dto from '../data/data.dto.js';
import * as data_erasure_controller from '../data/erasure.controller.js';
import * as data_transfer_controller from '../data/transfer.controller.js';
import * as http_errors_validation_detail_dto from '../http/errors/validation-detail.dto.js';
import * as http_id_params_dto from '../http/id-params.dto.js';
import * as http_paging_after_query_dto from '../http/paging/after-query.dto.js';
import * as http_paging_page_dto from '../http/paging/page.dto.js';
import * as http_paging_page_query_dto from '../http/paging/page-query.dto.js';
import * as http_usage_dto from '../http/usage.dto.js';
import * as memory_memory_controller from '../memory/memory.controller.js';
import * as memory_memory_dto from '../memory/memory.dto.js';
import * as ops_health_controller from '../ops/health.controller.js';
import * as ops_health_dto from '../ops/health.dto.js';
import * as ops_metrics_controller from '../ops/metrics.controller.js';
import * as ops_queue_controller from '../ops/queue.controller.js';
import * as ops_queue_dto from '../ops/queue.dto.js';
import * as options_agent_config_dto from '../options/agent-config.dto.js';
import * as options_model_controller from '../options/model.controller.js';
import * as options_model_list_dto from '../options/model-list.dto.js';
import * as options_preferences_effective_preferences_dto from '../options/preferences/effective-preferences.dto.js';
import * as options_preferences_preferences_controller from '../options/preferences/preferences.controller.js';
import * as options_preferences_preferences_dto from '../options/preferences/preferences.dto.js';
import * as options_turn_options_dto from '../options/turn-options.dto.js';
import * as schedules_definitions_schedule_controller from '../schedules/definitions/schedule.controller.js';
import * as schedules_definitions_schedule_dto from '../schedules/definitions/schedule.dto.js';
import * as schedules_runs_run_dto from '../schedules/runs/run.dto.js';
import * as session_session_controller from '../session/session.controller.js';
import * as session_session_dto from '../session/session.dto.js';
import * as session_session_list_controller from '../session/session-list.controller.js';
import * as session_session_page_dto from '../session/session-page.dto.js';
import * as session_skill_controller from '../session/skill.controller.js';
import * as session_skill_dto from '../session/skill.dto.js';
import * as session_todo_controller from '../session/todo.controller.js';
import * as session_todo_dto from '../session/todo.dto.js';
import * as tools_tool_controller from '../tools/tool.controller.js';
import * as tools_tool_list_dto from '../tools/tool-list.dto.js';
import * as tools_tool_query_dto from '../tools/tool-query.dto.js';
import * as turn_approvals_approval_controller from '../turn/approvals/approval.controller.js';
import * as turn_approvals_approval_dto from '../turn/approvals/approval.dto.js';
import * as turn_approvals_approval_query_dto from '../turn/approvals/approval-query.dto.js';
import * as turn_branches_fork_controller from '../turn/branches/fork.controller.js';
import * as turn_branches_fork_dto from '../turn/branches/fork.dto.js';
import * as turn_feedback_feedback_controller from '../turn/feedback/feedback.controller.js';
import * as turn_feedback_feedback_dto from '../turn/feedback/feedback.dto.js';
import * as turn_history_call_page_dto from '../turn/history/call-page.dto.js';
import * as turn_history_compact_report_dto from '../turn/history/compact-report.dto.js';
import * as turn_history_conversation_controller from '../turn/history/conversation.controller.js';
import * as turn_history_line_query_dto from '../turn/history/line-query.dto.js';
import * as turn_history_log_page_dto from '../turn/history/log-page.dto.js';
import * as turn_history_log_page_query_dto from '../turn/history/log-page-query.dto.js';
import * as turn_history_message_page_dto from '../turn/history/message-page.dto.js';
import * as turn_history_message_parts_dto from '../turn/history/message-parts.dto.js';
import * as turn_history_step_page_dto from '../turn/history/step-page.dto.js';
import * as turn_history_turn_page_dto from '../turn/history/turn-page.dto.js';
import * as turn_replay_comparison_dto from '../turn/replay/comparison.dto.js';
import * as turn_replay_replay_controller from '../turn/replay/replay.controller.js';
import * as turn_replay_replay_dto from '../turn/replay/replay.dto.js';
import * as turn_turn_place_dto from '../turn/turn-place.dto.js';
import * as turn_turn_record_dto from '../turn/turn-record.dto.js';
import * as webhooks_webhook_controller from '../webhooks/webhook.controller.js';
import * as webhooks_webhook_dto from '../webhooks/webhook.dto.js';
import * as wires_ag_ui_ag_ui_controller from '../wires/ag-ui/ag-ui.controller.js';
import * as wires_ag_ui_ag_ui_dto from '../wires/ag-ui/ag-ui.dto.js';
import * as wires_ag_ui_run_query_dto from '../wires/ag-ui/run-query.dto.js';
import * as wires_ai_sdk_ai_sdk_controller from '../wires/ai-sdk/ai-sdk.controller.js';
import * as wires_ai_sdk_ai_sdk_dto from '../wires/ai-sdk/ai-sdk.dto.js';
import * as wires_ai_sdk_chat_history_dto from '../wires/ai-sdk/chat-history.dto.js';
import * as wires_ai_sdk_chat_page_query_dto from '../wires/ai-sdk/chat-page-query.dto.js';
import * as wires_harness_turn_controller from '../wires/harness/turn.controller.js';
import * as wires_harness_turn_dto from '../wires/harness/turn.dto.js';
import * as wires_named_agents_agent_list_dto from '../wires/named-agents/agent-list.dto.js';
import * as wires_named_agents_chat_request_dto from '../wires/named-agents/chat-request.dto.js';
import * as wires_named_agents_named_agents_controller from '../wires/named-agents/named-agents.controller.js';
import * as wires_named_agents_named_agents_dto from '../wires/named-agents/named-agents.dto.js';
import * as wires_oracle_oracle_answer_dto from '../wires/oracle/oracle-answer.dto.js';
import * as wires_oracle_oracle_controller from '../wires/oracle/oracle.controller.js';
import * as wires_oracle_oracle_dto from '../wires/oracle/oracle.dto.js';
import * as wires_oracle_oracle_question_dto from '../wires/oracle/oracle-question.dto.js';
import * as wires_responses_create_response_dto from '../wires/responses/create-response.dto.js';
import * as wires_responses_input_items_dto from '../wires/responses/input-items.dto.js';
import * as wires_responses_models_controller from '../wires/responses/models.controller.js';
import * as wires_responses_response_query_dto from '../wires/responses/response-query.dto.js';
import * as wires_responses_responses_controller from '../wires/responses/responses.controller.js';

/** Of a file: its classes, what is said of each of their members. */
type Said = [Record<string, unknown>, Record<string, Record<string, object>>];

export const apiShapes: Record<'models' | 'controllers', Said[]> = {
  models: [
    [access_keys_admin_dto, { KeyDto: { id: {  }, principal: {  }, name: {  }, status: {  }, scopes: {  }, limits: {  }, projectRoots: {  }, createdAt: {  }, expiresAt: {  }, revokedAt: {  }, lastUsedAt: {  } }, KeyParamsDto: { id: {  } }, OneKeyDto: { key: {  } }, CreatedKeyDto: { secret: {  } }, KeyListDto: { keys: {  } } }],
    [access_keys_audit_page_dto, { AuditEntryDto: { id: {  }, at: {  }, principal: {  }, action: {  }, subject: {  }, details: {  } }, AuditPageDto: { entries: {  }, nextAfter: {  } } }],
    [access_keys_audit_query_dto, { AuditQueryDto: { after: {  }, limit: {  } } }],
    [access_new_key_dto, { KeyLimitsDto: { requestsPerMinute: {  }, concurrentTurns: {  }, tokensPerDay: {  }, usdPerDay: {  } }, NewKeyDto: { principal: {  }, name: {  }, scopes: {  }, expiresIn: {  }, limits: {  }, projectRoots: {  } } }],
    [access_usage_dto, { MeasureDto: { used: {  }, limit: {  } }, DayUsageDto: { day: {  }, tokens: {  }, usd: {  }, resetsAt: {  } }, UsageDaysQueryDto: { of: {  } }, DayOfUsageDto: { day: {  }, principal: {  }, model: {  }, turns: {  }, tokens: {  }, usd: {  } }, UsageDaysDto: { days: {  } } }],
    [attachments_upload_uploaded_dto, { UploadedFileDto: { id: {  }, name: {  }, mimeType: {  }, size: {  }, changed: {  } }, RefusedFileDto: { path: {  }, reason: {  } }, UploadedDto: { attachments: {  }, errors: {  } } }],
    [data_data_dto, { ImportQueryDto: { principal: {  } }, ExportQueryDto: { sessionId: {  }, principal: {  } }, ImportReportDto: { imported: {  }, skipped: {  }, skippedSessions: {  }, interruptedTurns: {  }, importedMemoryFiles: {  }, skippedMemoryFiles: {  } }, PrincipalParamsDto: { principal: {  } }, ForgetQueryDto: { projects: {  } }, PrincipalReportDto: { sessions: {  }, turns: {  }, activeTurns: {  }, messages: {  }, uploads: {  }, files: {  }, fileBytes: {  }, keys: {  }, preferences: {  }, webhooks: {  }, memoryFiles: {  }, schedules: {  }, usageDays: {  }, auditEntries: {  }, projectFolder: {  } } }],
    [http_errors_validation_detail_dto, { ValidationProblemDto: { loc: {  }, msg: {  }, type: {  } }, ValidationDetailDto: { detail: {  }, correlationId: {  } } }],
    [http_id_params_dto, { SessionIdDto: { id: {  } }, TurnIdDto: { id: {  } }, ApprovalIdDto: { id: {  } }, WebhookIdDto: { id: {  } }, DeliveryIdDto: { deliveryId: {  } } }],
    [http_paging_after_query_dto, { AfterQueryDto: { after: {  } } }],
    [http_paging_page_query_dto, { PageQueryDto: { cursor: {  }, limit: {  } } }],
    [http_paging_page_dto, { PageDto: { nextCursor: {  } } }],
    [http_usage_dto, { UsageDto: { inputTokens: {  }, outputTokens: {  }, cacheReadTokens: {  }, cacheWriteTokens: {  }, cacheWrite5mTokens: {  }, cacheWrite1hTokens: {  }, thinkingTokens: {  }, addedTokens: {  }, costUsd: {  }, webSearches: {  } } }],
    [memory_memory_dto, { AgentNameDto: { agent: {  } }, FileQueryDto: { path: {  } }, FileContentDto: { content: {  } }, MemoryQuotaDto: { files: {  }, fileBytes: {  }, bytes: {  } }, MemoryDto: { agent: {  }, files: {  }, bytes: {  }, updatedAt: {  }, quota: {  } }, MemoryListDto: { memories: {  } }, ListedFileDto: { path: {  }, version: {  }, bytes: {  }, updatedAt: {  }, turnId: {  } }, FileDto: { content: {  } }, FilePageDto: { files: {  } }, OneFileDto: { file: {  } }, DeletedFilesDto: { deletedFiles: {  } } }],
    [ops_health_dto, { CommandHealthDto: { kind: {  }, weaknesses: {  } }, HookHealthDto: { failures_in_row: {  }, last_answer_at: {  }, last_failure_at: {  } }, HealthDto: { status: {  }, agent_name: {  }, agent_ready: {  }, active_sessions: {  }, schedule_late_seconds: {  }, tool_hook: {  }, uptime_seconds: {  }, version: {  }, commit: {  }, commands: {  } }, LivenessDto: { live: {  } }, ReadinessDto: { ready: {  }, checks: {  } } }],
    [ops_queue_dto, { QueuedTurnDto: { turnId: {  }, sessionId: {  }, principal: {  }, message: {  }, agent: {  }, projectRoot: {  }, attempt: {  }, createdAt: {  }, startedAt: {  }, waitingSince: {  }, placed: {  }, parentTurnId: {  } }, StatusDto: { depth: {  }, oldest: {  }, newest: {  } }, StatusesDto: { held: {  }, queued: {  }, running: {  }, waiting: {  } }, SlotsDto: { workers: {  }, each: {  }, used: {  } }, QueueDto: { backEnd: {  }, statuses: {  }, wakeUps: {  }, places: {  } } }],
    [options_agent_config_dto, { AgentConfigDto: { max_iterations: {  }, soft_warning_percent: {  }, token_budget: {  }, token_warning_percent: {  }, timeout_seconds: {  }, max_tool_calls_per_turn: {  }, max_parallel_tools: {  } } }],
    [options_model_list_dto, { ModelThinkingDto: { kinds: {  }, byDefault: {  } }, ModelEffortDto: { levels: {  }, default: {  } }, ListedModelDto: { id: {  }, name: {  }, lifecycle: {  }, retiresAt: {  }, contextWindow: {  }, maxOutput: {  }, thinking: {  }, effort: {  }, seesImages: {  }, readsPdfs: {  }, price: {  } }, ModelListDto: { defaultModel: {  }, provider: {  }, models: {  } } }],
    [options_preferences_effective_preferences_dto, { EffectivePreferencesDto: { settings: {  } } }],
    [options_preferences_preferences_dto, { PreferencesDto: { oracle_model: {  }, subagent_model: {  }, thinking_enabled: {  }, librarian_timeout: {  }, max_context_nodes: {  } }, ResetAgentConfigDto: { fields: {  } }, ResetPreferencesDto: { fields: {  } } }],
    [options_turn_options_dto, { TurnOptionsDto: { model: {  }, fallbackModel: {  }, tools: {  }, skills: {  }, maxTurns: {  }, maxTokens: {  }, maxCostUsd: {  }, persona: {  }, mode: {  }, onDisconnect: {  }, onBusy: {  }, priority: {  }, thinking: {  }, citations: {  }, memory: {  }, attachmentsAs: {  }, output: {  }, clientTools: {  }, replaces: {  }, agentConfig: {  }, subagentGovernance: {  } } }],
    [schedules_definitions_schedule_dto, { ScheduleKeyDto: { key: {  } }, ScheduleDto: { cron: {  }, tz: {  }, session: {  }, agent: {  }, projectRoot: {  }, message: {  }, opts: {  }, overlap: {  }, catchUpMs: {  } }, ScheduleChangesDto: { cron: {  }, tz: {  }, session: {  }, agent: {  }, projectRoot: {  }, message: {  }, opts: {  }, overlap: {  }, catchUpMs: {  } }, ScheduleViewDto: { id: {  }, key: {  }, cron: {  }, tz: {  }, session: {  }, agent: {  }, projectRoot: {  }, message: {  }, opts: {  }, overlap: {  }, catchUpMs: {  }, nextAt: {  }, pausedAt: {  }, pauseReason: {  }, createdAt: {  }, updatedAt: {  } }, OneScheduleDto: { schedule: {  } }, ScheduleListDto: { schedules: {  } }, UpcomingSlotDto: { at: {  }, local: {  } }, UpcomingQueryDto: { count: {  } }, UpcomingDto: { upcoming: {  } } }],
    [schedules_runs_run_dto, { RunErrorDto: { type: {  }, message: {  } }, MissedDto: { count: {  }, until: {  } }, RunDto: { id: {  }, cause: {  }, slot: {  }, outcome: {  }, turnId: {  }, sessionId: {  }, turnStatus: {  }, error: {  }, missed: {  }, at: {  } }, OneRunDto: { run: {  } }, RunPageDto: { runs: {  } } }],
    [session_session_page_dto, { ListedSessionDto: { title: {  }, activeTurnId: {  } }, SessionPageDto: { sessions: {  } }, SessionQueryDto: { search: {  }, scheduled: {  } } }],
    [session_session_dto, { CreateSessionDto: { projectRoot: {  }, persona: {  }, mode: {  }, agentConfig: {  }, permissions: {  }, mcpServers: {  } }, RenameSessionDto: { title: {  } }, ProjectQueryDto: { projectRoot: {  } }, BootSessionDto: { sessionId: {  }, opts: {  } }, ForkPointDto: { sessionId: {  }, turnId: {  }, position: {  } }, SessionFieldsDto: { sessionId: {  }, projectRoot: {  }, persona: {  }, mode: {  }, origin: {  }, createdAt: {  }, updatedAt: {  }, forkedFrom: {  } }, SessionRecordDto: { title: {  }, replayOf: {  }, claudeSessionId: {  }, bootFingerprint: {  }, bootedAt: {  }, model: {  }, agentConfig: {  }, permissions: {  } }, SessionDto: { session: {  } }, SessionListDto: { sessions: {  } }, BootDto: { claudeSessionId: {  }, bootFingerprint: {  }, bootedAt: {  } }, BootedSessionDto: { boot: {  } }, SessionDefaultsDto: { principal: {  }, isKeyed: {  }, scopes: {  }, projectRoot: {  }, persona: {  }, mode: {  }, attachmentBytes: {  } } }],
    [session_skill_dto, { SkillQueryDto: { agent: {  } }, SkillFaultDto: { line: {  }, message: {  } }, SkillDto: { name: {  }, level: {  }, file: {  }, description: {  }, license: {  }, compatibility: {  }, metadata: {  }, allowedTools: {  }, isOffered: {  }, hiddenBy: {  }, faults: {  } }, SkillListDto: { skills: {  } } }],
    [session_todo_dto, { TodoDto: { id: {  }, content: {  }, status: {  } }, TodoListDto: { todos: {  } } }],
    [tools_tool_list_dto, { ListedToolDto: { name: {  }, description: {  }, effect: {  }, retry: {  }, inputSchema: {  }, source: {  } }, ListedMcpServerDto: { name: {  }, kind: {  }, state: {  }, tools: {  }, problems: {  } }, ToolPageDto: { tools: {  }, mcpServers: {  }, nextCursor: {  } } }],
    [tools_tool_query_dto, { ToolQueryDto: { cursor: {  }, limit: {  } } }],
    [turn_approvals_approval_query_dto, { ApprovalQueryDto: { sessionId: {  }, turnId: {  }, status: {  }, cursor: {  }, limit: {  } } }],
    [turn_approvals_approval_dto, { AnswerDto: { decision: {  }, message: {  }, input: {  }, rule: {  }, output: {  }, isError: {  } }, ApprovalDto: { approvalId: {  }, turnId: {  }, sessionId: {  }, toolUseId: {  }, kind: {  }, name: {  }, input: {  }, reason: {  }, status: {  }, onTimeout: {  }, createdAt: {  }, expiresAt: {  }, decision: {  }, by: {  }, message: {  }, editedInput: {  }, decidedAt: {  } }, OneApprovalDto: { approval: {  } }, ApprovalSessionDto: { title: {  }, projectRoot: {  }, persona: {  } }, ListedApprovalDto: { session: {  } }, ApprovalPageDto: { approvals: {  } } }],
    [turn_branches_fork_dto, { ForkSessionDto: { turnId: {  }, position: {  } }, WrittenFilesDto: { paths: {  }, more: {  }, ranCommands: {  }, mcpTools: {  } }, ForkedSessionDto: { session: {  }, filesReverted: {  }, filesWritten: {  } } }],
    [turn_feedback_feedback_dto, { FeedbackKeyDto: { key: {  } }, GivenFeedbackDto: { key: {  }, value: {  }, comment: {  }, messageId: {  } }, FeedbackQueryDto: { key: {  }, min: {  }, max: {  }, value: {  }, agent: {  }, model: {  }, since: {  }, until: {  } }, FeedbackDto: { turnId: {  }, key: {  }, value: {  }, comment: {  }, messageId: {  }, agent: {  }, model: {  }, createdAt: {  }, updatedAt: {  } }, OneFeedbackDto: { feedback: {  } }, FeedbackListDto: { feedback: {  } }, FeedbackPageDto: { feedback: {  } } }],
    [turn_history_call_page_dto, { CallDto: { callId: {  }, step: {  }, attempt: {  }, name: {  }, input: {  }, status: {  }, output: {  }, durationMs: {  }, retry: {  }, claimedAt: {  }, endedAt: {  } }, CallPageDto: { calls: {  } } }],
    [turn_history_compact_report_dto, { CompactReportDto: { compacted: {  }, summary: {  }, throughTurnId: {  } } }],
    [turn_history_line_query_dto, { LineQueryDto: { superseded: {  } } }],
    [turn_history_log_page_query_dto, { LogPageQueryDto: { cursor: {  }, limit: {  } } }],
    [turn_history_log_page_dto, { LogPageDto: { events: {  } } }],
    [turn_history_message_page_dto, { MessageDto: { messageId: {  }, turnId: {  }, role: {  }, status: {  }, createdAt: {  }, parts: {  }, compacted: {  }, supersededBy: {  }, leftOut: {  }, afterStep: {  }, notice: {  }, steps: {  } }, MessagePageDto: { messages: {  } } }],
    [turn_history_message_parts_dto, { TextPartDto: { type: {  }, text: {  } }, ThinkingPartDto: { type: {  }, text: {  } }, FilePartDto: { type: {  }, id: {  }, name: {  }, path: {  }, mimeType: {  }, size: {  }, url: {  }, leftOut: {  } }, ToolPartDto: { type: {  }, toolUseId: {  }, name: {  }, input: {  }, status: {  }, output: {  }, leftOut: {  } } }],
    [turn_history_step_page_dto, { NoticeDto: { kind: {  }, text: {  }, metadata: {  }, seenByModel: {  } }, StepDto: { stepId: {  }, step: {  }, status: {  }, stopReason: {  }, usage: {  }, startedAt: {  }, endedAt: {  }, parts: {  }, notices: {  } }, StepPageDto: { steps: {  } } }],
    [turn_history_turn_page_dto, { ListedTurnDto: { turnId: {  }, status: {  }, attempt: {  }, model: {  }, persona: {  }, createdAt: {  }, startedAt: {  }, endedAt: {  }, usage: {  }, outcome: {  }, reason: {  } }, TurnPageDto: { turns: {  } } }],
    [turn_replay_comparison_dto, { RecordedCountDto: { hits: {  }, misses: {  } }, ComparedTurnDto: { turnId: {  }, sessionId: {  }, replayOf: {  }, status: {  }, model: {  }, agent: {  }, outcome: {  }, reason: {  }, usage: {  }, costUsd: {  }, queuedMs: {  }, firstTokenMs: {  }, durationMs: {  }, steps: {  }, calls: {  }, recorded: {  }, text: {  }, output: {  } }, ComparedCallDto: { callId: {  }, step: {  }, name: {  }, input: {  }, status: {  }, result: {  } }, AlignedCallsDto: { kind: {  }, left: {  }, right: {  } }, TurnComparisonDto: { left: {  }, right: {  }, tools: {  } } }],
    [turn_replay_replay_dto, { WantedReplayDto: { model: {  }, agent: {  }, opts: {  }, tools: {  } }, CompareQueryDto: { with: {  } }, ReplayDto: { sessionId: {  }, tools: {  } }, ReplayPageDto: { replays: {  } } }],
    [turn_turn_place_dto, { TurnPlaceDto: { replaces: {  }, supersededBy: {  }, copiedFrom: {  } } }],
    [turn_turn_record_dto, { TurnRecordDto: { turnId: {  }, sessionId: {  }, parentTurnId: {  }, parentToolUseId: {  }, status: {  }, attempt: {  }, options: {  }, provenance: {  }, optionProblems: {  }, delegation: {  }, usage: {  }, exitCode: {  }, endReason: {  }, error: {  }, output: {  }, cancelRequestedAt: {  }, createdAt: {  }, startedAt: {  }, endedAt: {  }, replayOf: {  }, eventsUrl: {  } }, OneTurnDto: { turn: {  } } }],
    [webhooks_webhook_dto, { NewWebhookDto: { url: {  }, events: {  }, description: {  }, enabled: { description: "Default: true. Events of the time in which it is disabled are never sent." } }, WebhookChangesDto: { url: {  }, events: {  }, description: {  }, enabled: { description: "What was to be sent before it was disabled is sent when it is enabled again." } }, RotationDto: { keepOldHours: { description: "Hours for which requests are signed with the secret before it as well. Default: 24. 0: no more from now on." } }, WebhookDto: { id: { required: true, type: () => String, example: "hook_6b0f7c1e-3c0a-4f0e-9a53-6a3b7c0f2d11" }, url: { required: true, type: () => String }, description: { required: true, type: () => String }, events: { description: "Null: all." }, enabled: { required: true, type: () => Boolean }, disabledReason: { required: true, nullable: true, description: "`gone`: the server disabled it, as its endpoint answered 410.", enum: ["gone"] }, failingSince: { description: "Time of the first failure since the last success; null: the last try succeeded." }, previousSecretUntil: { description: "Until then requests are signed with the secret before the last rotation as well." }, createdAt: {  } }, OneWebhookDto: { webhook: { required: true, type: () => webhooks_webhook_dto.WebhookDto } }, WebhookWithSecretDto: { secret: { required: true, type: () => String, description: "The secret that signs. It is shown this once.", example: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD" } }, WebhookListDto: { webhooks: { required: true, type: () => [webhooks_webhook_dto.WebhookDto], description: "In the order they were made." } }, DeliveryQueryDto: { status: { description: "Deliveries of this status alone. Default: all." } }, DeliveryDto: { id: { required: true, type: () => String, description: "The `webhook-id` of its requests.", example: "evt_6b0f7c1e-3c0a-4f0e-9a53-6a3b7c0f2d11_1_14" }, type: {  }, status: { description: "`dead`: every try failed." }, turnId: { required: true, type: () => String, nullable: true, description: "Null: a test." }, sessionId: { required: true, type: () => String, nullable: true }, failures: { description: "Tries that failed since the event, or since it was last sent again by hand." }, httpStatus: { description: "Status of the last answer; null: there was none." }, error: { required: true, type: () => String, nullable: true, description: "Reason of the last failure." }, response: { required: true, type: () => String, nullable: true, description: "The first 1 kB of the last answer\u2019s body." }, createdAt: {  }, triedAt: {  }, nextTryAt: { description: "Null: no try is to come." }, endedAt: { description: "When it was delivered, or dead." } }, OneDeliveryDto: { delivery: { required: true, type: () => webhooks_webhook_dto.DeliveryDto } }, DeliveryPageDto: { deliveries: { required: true, type: () => [webhooks_webhook_dto.DeliveryDto], description: "The newest first." } } }],
    [wires_ag_ui_ag_ui_dto, { RunAgentInputDto: { threadId: {  }, runId: {  }, messages: {  }, tools: {  }, context: {  }, state: {  }, resume: {  }, forwardedProps: {  } } }],
    [wires_ag_ui_run_query_dto, { RunQueryDto: { thread: {  }, run: {  }, answers: {  }, from: {  }, history: {  }, old: {  } } }],
    [wires_ai_sdk_ai_sdk_dto, { ChatDto: { id: {  }, messages: {  }, trigger: {  }, messageId: {  }, agent: {  }, projectRoot: {  }, opts: {  }, clientTools: {  } } }],
    [wires_ai_sdk_chat_history_dto, { UiMessageDto: { id: {  }, role: {  }, metadata: {  }, parts: {  } }, ChatPageDto: { messages: {  }, activeTurnId: {  }, before: {  } }, ListedChatDto: { id: {  }, sessionId: {  }, agent: {  }, title: {  }, createdAt: {  }, updatedAt: {  }, activeTurnId: {  } }, ChatListDto: { chats: {  } } }],
    [wires_ai_sdk_chat_page_query_dto, { ChatPageQueryDto: { before: {  }, limit: { description: "Turns: their events are read to the last." } } }],
    [wires_harness_turn_dto, { TurnDto: { sessionId: {  }, message: {  }, opts: {  }, attachments: {  } }, InterruptDto: { sessionId: {  } }, InterruptedDto: { ok: {  }, turnId: {  }, state: {  } }, OkDto: { ok: {  } }, TurnResultDto: { turnId: {  }, sessionId: {  }, text: {  }, outcome: {  }, exitCode: {  }, reason: {  }, usage: {  }, durationMs: {  }, output: {  }, error: {  }, notices: {  }, rejectedFiles: {  } } }],
    [wires_named_agents_agent_list_dto, { AgentDto: { name: {  }, file: {  }, description: {  }, model: {  }, tools: {  }, limits: {  }, subagents: {  }, decision_tree: {  }, type: {  } }, AgentProblemDto: { file: {  }, line: {  }, message: {  } }, AgentListDto: { agents: {  }, problems: {  } } }],
    [wires_named_agents_chat_request_dto, { ChatFileDto: { content: {  }, mime_type: {  }, filename: {  } }, ChatRequestDto: { message: {  }, session_id: { description: "In the server's form. What is no id of a session begins a new one (section 2)." }, files: {  } }, AgentParamsDto: { name: {  } }, MessageParamsDto: { messageId: {  } }, SessionParamsDto: { session_id: {  } } }],
    [wires_named_agents_named_agents_dto, { TokensUsedDto: { prompt_tokens: {  }, completion_tokens: {  }, total_tokens: {  } }, AnsweredCallDto: { name: {  }, arguments: {  }, status: {  } }, MetLimitDto: { reason: {  }, message: {  } }, ChatAnswerDto: { message_id: {  }, content: {  }, session_id: {  }, tool_calls: {  }, tokens_used: {  }, execution_time_ms: {  }, output: {  }, sources: {  }, limit: {  }, notices: {  } }, ProblemDto: { type: {  }, title: {  }, status: {  }, detail: {  }, instance: {  }, correlationId: {  } } }],
    [wires_oracle_oracle_answer_dto, { OracleSourceDto: { path: {  }, source_type: {  }, snippet: {  }, metadata: {  } }, RetrievalTraceDto: { id: {  }, name: {  }, arguments: {  }, status: {  }, result: {  } }, OracleNoticeDto: { type: {  }, system_type: {  }, system_message: {  }, metadata: {  } }, EndReasonDto: { termination_reason: {  }, turns_used: {  }, max_turns: {  } }, OracleAnswerDto: { answer: {  }, sources: {  }, tokens_used: {  }, model_used: {  }, context_id: {  }, retrieval_traces: {  }, notices: {  }, output: {  }, metadata: {  } }, HistoryMessageDto: { role: {  }, content: {  }, timestamp: {  }, sources: {  } }, OracleHistoryDto: { messages: {  }, session_id: {  }, compressed: {  }, token_count: {  } } }],
    [wires_oracle_oracle_question_dto, { OracleQuestionDto: { question: {  }, sources: {  }, explain: {  }, model: {  }, thinking: {  }, max_tokens: {  }, context_id: {  }, project_id: {  } }, BusyQueryDto: { busy: {  } }, ContextQueryDto: { context_id: {  } } }],
    [wires_oracle_oracle_dto, { OracleCancelDto: { status: {  } }, OracleForgottenDto: { status: {  }, message: {  } }, OracleFaultsDto: { detail: {  }, correlationId: {  } }, OracleErrorDto: { detail: {  }, correlationId: {  } } }],
    [wires_responses_create_response_dto, { CreateResponseDto: { model: {  }, input: {  }, instructions: {  }, previous_response_id: {  }, stream: {  }, background: {  }, tools: {  }, reasoning: {  }, text: {  }, max_output_tokens: {  }, metadata: {  }, user: {  }, safety_identifier: {  }, prompt_cache_key: {  }, tool_choice: {  }, service_tier: {  }, store: {  }, parallel_tool_calls: {  }, truncation: {  }, temperature: {  }, top_p: {  }, presence_penalty: {  }, frequency_penalty: {  }, top_logprobs: {  }, max_tool_calls: {  }, include: {  }, client_metadata: {  }, stream_options: {  }, prompt_cache_retention: {  }, prompt_cache_options: {  }, conversation: {  }, prompt: {  }, context_management: {  }, moderation: {  } } }],
    [wires_responses_input_items_dto, { InputItemsDto: { object: {  }, data: {  }, first_id: {  }, last_id: {  }, has_more: {  } }, DeletedResponseDto: { id: {  }, object: {  }, deleted: {  } } }],
    [wires_responses_response_query_dto, { ResponseQueryDto: { stream: {  }, starting_after: {  } }, InputItemsQueryDto: { after: {  }, limit: {  }, order: {  } }, ResponseIdDto: { id: {  } } }],
  ],
  controllers: [
    [access_keys_admin_controller, { AdminController: { create: { type: access_keys_admin_dto.CreatedKeyDto }, list: { type: access_keys_admin_dto.KeyListDto }, revoke: { type: access_keys_admin_dto.OneKeyDto }, entries: { type: access_keys_audit_page_dto.AuditPageDto } } }],
    [access_usage_controller, { UsageController: { days: { type: access_usage_dto.UsageDaysDto } } }],
    [attachments_upload_upload_controller, { UploadController: { upload: { type: attachments_upload_uploaded_dto.UploadedDto } } }],
    [data_erasure_controller, { ErasureController: { report: { type: data_data_dto.PrincipalReportDto }, forget: { type: data_data_dto.PrincipalReportDto } } }],
    [data_transfer_controller, { TransferController: { import: { type: data_data_dto.ImportReportDto } } }],
    [memory_memory_controller, { MemoryController: { list: { type: memory_memory_dto.MemoryListDto }, files: { type: memory_memory_dto.FilePageDto }, get: { type: memory_memory_dto.OneFileDto }, put: { type: memory_memory_dto.OneFileDto }, delete: { type: memory_memory_dto.DeletedFilesDto }, deleteAll: { type: memory_memory_dto.DeletedFilesDto } } }],
    [ops_health_controller, { HealthController: { live: { type: ops_health_dto.LivenessDto } } }],
    [ops_metrics_controller, { MetricsController: {  } }],
    [ops_queue_controller, { QueueController: {  } }],
    [options_model_controller, { ModelController: {  } }],
    [options_preferences_preferences_controller, { PreferencesController: {  } }],
    [schedules_definitions_schedule_controller, { ScheduleController: { list: { type: schedules_definitions_schedule_dto.ScheduleListDto }, put: { type: schedules_definitions_schedule_dto.OneScheduleDto }, get: { type: schedules_definitions_schedule_dto.OneScheduleDto }, change: { type: schedules_definitions_schedule_dto.OneScheduleDto }, delete: { type: schedules_definitions_schedule_dto.OneScheduleDto }, pause: { type: schedules_definitions_schedule_dto.OneScheduleDto }, resume: { type: schedules_definitions_schedule_dto.OneScheduleDto }, trigger: { type: schedules_runs_run_dto.OneRunDto }, runs: { type: schedules_runs_run_dto.RunPageDto }, upcoming: { type: schedules_definitions_schedule_dto.UpcomingDto } } }],
    [session_session_list_controller, { SessionListController: { list: { type: session_session_page_dto.SessionPageDto } } }],
    [session_session_controller, { SessionController: { create: { type: session_session_dto.SessionDto }, boot: { type: session_session_dto.BootedSessionDto }, list: { type: session_session_dto.SessionListDto }, defaults: { type: session_session_dto.SessionDefaultsDto }, get: { type: session_session_dto.SessionDto }, rename: { type: session_session_dto.SessionDto } } }],
    [session_skill_controller, { SkillController: {  } }],
    [session_todo_controller, { TodoController: { list: { type: session_todo_dto.TodoListDto } } }],
    [tools_tool_controller, { ToolController: {  } }],
    [turn_approvals_approval_controller, { ApprovalController: { list: { type: turn_approvals_approval_dto.ApprovalPageDto }, get: { type: turn_approvals_approval_dto.OneApprovalDto }, answer: { type: turn_approvals_approval_dto.OneApprovalDto } } }],
    [turn_branches_fork_controller, { ForkController: { fork: { type: turn_branches_fork_dto.ForkedSessionDto } } }],
    [turn_feedback_feedback_controller, { FeedbackController: { set: { type: turn_feedback_feedback_dto.OneFeedbackDto }, ofTurn: { type: turn_feedback_feedback_dto.FeedbackListDto }, delete: { type: turn_feedback_feedback_dto.OneFeedbackDto }, page: { type: turn_feedback_feedback_dto.FeedbackPageDto } } }],
    [turn_history_conversation_controller, { ConversationController: { messages: { type: turn_history_message_page_dto.MessagePageDto }, turns: { type: turn_history_turn_page_dto.TurnPageDto }, log: { type: turn_history_log_page_dto.LogPageDto }, steps: { type: turn_history_step_page_dto.StepPageDto }, calls: { type: turn_history_call_page_dto.CallPageDto } } }],
    [turn_replay_replay_controller, { ReplayController: { replay: { type: turn_turn_record_dto.OneTurnDto }, list: { type: turn_replay_replay_dto.ReplayPageDto }, compare: { type: turn_replay_comparison_dto.TurnComparisonDto } } }],
    [webhooks_webhook_controller, { WebhookController: { createWebhook: { summary: "Have events of your turns sent to a URL; the secret is shown once", type: webhooks_webhook_dto.WebhookWithSecretDto }, listWebhooks: { summary: "Your webhooks, without their secrets", type: webhooks_webhook_dto.WebhookListDto }, getWebhook: { summary: "One webhook", type: webhooks_webhook_dto.OneWebhookDto }, changeWebhook: { summary: "Change a webhook; what is not given stays as it is", type: webhooks_webhook_dto.OneWebhookDto }, rotateWebhookSecret: { summary: "Make a new secret; the one before it signs as well for a while", type: webhooks_webhook_dto.WebhookWithSecretDto }, deleteWebhook: { summary: "Delete a webhook with its deliveries; nothing more is sent to it", type: webhooks_webhook_dto.OneWebhookDto }, listDeliveries: { summary: "What was sent to a webhook or is to be sent, the newest first", type: webhooks_webhook_dto.DeliveryPageDto }, redeliverWebhook: { summary: "Send a delivery again, under its id, with all its tries", type: webhooks_webhook_dto.OneDeliveryDto }, testWebhook: { summary: "Send a webhook an event of no turn", type: webhooks_webhook_dto.OneDeliveryDto } } }],
    [wires_ag_ui_ag_ui_controller, { AgUiController: {  } }],
    [wires_ai_sdk_ai_sdk_controller, { AiSdkController: { stop: { type: wires_harness_turn_dto.InterruptedDto } }, ChatHistoryController: { list: { type: wires_ai_sdk_chat_history_dto.ChatListDto }, read: { type: wires_ai_sdk_chat_history_dto.ChatPageDto } } }],
    [wires_harness_turn_controller, { TurnController: { interrupt: { type: wires_harness_turn_dto.InterruptedDto }, interruptTurn: { type: wires_harness_turn_dto.InterruptedDto }, delete: { summary: "The route is here and not with the other session routes: it ends a running turn first.", type: wires_harness_turn_dto.OkDto } } }],
    [wires_named_agents_named_agents_controller, { NamedAgentsController: { agents: { type: wires_named_agents_agent_list_dto.AgentListDto }, chat: { type: wires_named_agents_named_agents_dto.ChatAnswerDto } } }],
    [wires_oracle_oracle_controller, { OracleController: { ask: { type: wires_oracle_oracle_answer_dto.OracleAnswerDto }, cancel: { type: wires_oracle_oracle_dto.OracleCancelDto }, history: { type: wires_oracle_oracle_answer_dto.OracleHistoryDto }, forget: { type: wires_oracle_oracle_dto.OracleForgottenDto } } }],
    [wires_responses_models_controller, { ModelChooser: {  }, ModelsController: {  } }],
    [wires_responses_responses_controller, { ResponsesController: { delete: { type: wires_responses_input_items_dto.DeletedResponseDto } } }],
  ],
};

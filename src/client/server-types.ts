/**
 * The server's own types of its answers: the only file of the client that imports another part of the
 * source, and types alone. `scripts/client-types.mjs` writes them out, member by member, into the
 * package's declarations.
 */
import type { AgentConfig } from '../storage/shapes/stored-options.js';

export type { EndedAccessDto as EndedAccess } from '../access/access.dto.js';
export type { CallerDto as CallerView } from '../access/caller.dto.js';
export type {
  CreatedKeyDto as CreatedKey,
  KeyChangesDto as KeyChanges,
  KeyDto as KeyView,
  MasterKeyRotationDto as MasterKeyRotation,
} from '../access/keys/key.dto.js';
export type { AgentProblem } from '../agents/check-agents.js';
export type { AgentSummary } from '../agents/summarize-agent.js';
export type { UploadedFileDto as UploadedFile } from '../attachments/upload/uploaded.dto.js';
export type { TurnEvent } from '../events/turn-event.js';
export type { QueueDto as QueueView } from '../operations/queue.dto.js';
export type { EffectivePreference as EffectiveSetting } from '../options/effective-preferences.js';
export type { PreferenceValues as Settings } from '../options/preferences.js';
export type {
  ListedModelDto as ListedModel,
  ModelListDto as ModelList,
} from '../options/model-list.dto.js';
export type { TurnOptionsDto as TurnOptions } from '../options/turn-options.dto.js';
export type {
  BootedSessionDto as BootReport,
  CreateSessionDto as WantedSession,
  ListedSessionDto as ListedSession,
  SessionDefaultsDto as SessionDefaults,
  SessionRecordDto as SessionRecord,
} from '../session/session.dto.js';
export type { PrincipalReportDto as PrincipalReport } from '../features/portability/portability.dto.js';
export type { PromptDto as PromptView } from '../session/prompt.dto.js';
export type { SkillDto as SkillView } from '../session/skill.dto.js';
export type {
  FileDto as MemoryFileView,
  ListedFileDto as ListedMemoryFile,
  MemoryDto as MemoryView,
} from '../memory/memory.dto.js';
export type {
  ListedFaultDto as ListedFault,
  ListedMcpServerDto as ListedMcpServer,
  ListedToolDto as ListedTool,
} from '../tools/tool-list.dto.js';
export type { TrialDto as Trial, TrialResultDto as TrialResult } from '../trials/trial.dto.js';
export type {
  ApprovalDto as ApprovalView,
  AwaitedApprovalDto as AwaitedApprovalView,
  ListedApprovalDto as ListedApprovalView,
} from '../turn/approvals/approval.dto.js';
export type {
  FeedbackDto as FeedbackView,
  FeedbackQueryFields as FeedbackQuery,
  GivenFeedbackDto as GivenFeedback,
} from '../features/feedback/feedback.dto.js';
export type {
  ForkedSessionDto as ForkedSession,
  ForkSessionDto as WantedFork,
} from '../turn/branches/fork.dto.js';
export type { DayOfUsage, UsageView } from '../governance/budgets/usage-service.js';
export type { UsageDaysQuery } from '../access/usage.dto.js';
export type { Disposition } from '../turn/submit/turn-submission.js';
export type { CancelState } from '../turn/lifecycle/turn-canceller.js';
export type { CallDto as CallView } from '../turn/history/history.dto.js';
export type { ListedTurnDto as ListedTurnView } from '../turn/history/history.dto.js';
export type {
  MessageDto as MessageView,
  StepDto as StepView,
} from '../turn/history/messages.dto.js';
export type {
  TurnFaultDto as TurnFault,
  TurnFilters,
  TurnListDto as TurnList,
  TurnSummaryDto as TurnSummary,
} from '../turn/overview/overview.dto.js';
export type { TurnRecordDto as TurnRecord } from '../turn/turn-record.dto.js';
export type { TurnComparisonDto as TurnComparison } from '../features/replay/replay.dto.js';
export type {
  ReplayDto as ReplayView,
  WantedReplayDto as WantedReplay,
} from '../features/replay/replay.dto.js';
export type { DeliveryStatus } from '../storage/automation-schema.js';
export type {
  RunDto as ScheduleRunView,
  ScheduleDto as WantedSchedule,
  ScheduleViewDto as ScheduleView,
  UpcomingSlotDto as UpcomingSlot,
} from '../features/schedules/schedule.dto.js';
export type {
  DeliveryDto as DeliveryView,
  NewWebhookDto as WantedWebhook,
  WebhookChangesDto as WebhookChanges,
  WebhookDto as WebhookView,
  WebhookWithSecretDto as WebhookWithSecret,
} from '../features/webhooks/webhook.dto.js';
export type { ForgottenMcpClientsDto as ForgottenMcpClients } from '../tools/mcp-clients.dto.js';
export type {
  BegunMcpLoginDto as BegunMcpLogin,
  EndedMcpLoginDto as EndedMcpLogin,
  FinishedMcpLoginDto as FinishedMcpLogin,
  McpLoginDto as McpLoginView,
  McpLoginListDto as McpLoginList,
} from '../features/mcp/log-in/mcp-authorizations.dto.js';
export type { ImportReportDto as ImportReport } from '../features/portability/portability.dto.js';
export type {
  EndedTokensDto as EndedTokens,
  MintedTokenDto as MintedToken,
  NewPageTokenDto as WantedToken,
} from '../access/pages/page-token.dto.js';
export type { ListedChatDto as ListedChat } from '../wires/ai-sdk/ai-sdk.dto.js';
export type { HarnessFrames } from '../wires/harness/dialect/harness-frames.js';

/** The limits of a user's turns, by the names they have on the wire. */
export type AgentConfigSettings = { [Name in keyof AgentConfig as SnakeCase<Name>]: number };

/** `maxIterations` → `max_iterations`. */
type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : '';

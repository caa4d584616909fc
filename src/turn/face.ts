/** Turns: submitted, followed, answered, read, ended; and what a feature contributes to one. For wires and features. */

export { ApprovalAnswerer, checkAnswerCount } from './approvals/approval-answerer.js';
export {
  type AnswerInput,
  approvalAlreadyResolved,
  approvalNotFound,
  type ApprovalRow,
} from './approvals/approval-writes.js';
export {
  AwaitedApprovals,
  type AwaitedProgress,
  describeProgress,
} from './approvals/awaited-approvals.js';
export { AttemptModule } from './attempt/attempt.module.js';
export { SessionForker } from './branches/session-forker.js';
export { ConversationService } from './history/conversation-service.js';
export { ListedTurnDto } from './history/history.dto.js';
export { isOlderThan, listedColumns, viewListedTurn } from './history/list-turns.js';
export type { MessageDto, MessagePart, StepDto } from './history/messages.dto.js';
export { viewMessages, viewSteps } from './history/view-messages.js';
export { Presence } from './lifecycle/presence.js';
export { type CancelState, TurnCanceller } from './lifecycle/turn-canceller.js';
export { TURN_QUEUE, type TurnQueue } from './queue/turn-queue.js';
export { type Attempt, textOf } from './state/attempt.js';
export { type PromptSource, withPrompt } from './state/message-prompt.js';
export type {
  KeptPart,
  PartTurn,
  PrefixFields,
  PromptPart,
  SaidFields,
  ToldPart,
} from './state/prompt-part.js';
export { callKey, callsOf, loadRecording, type Recording } from './state/recording.js';
export { loadHistoryOf, loadSessionTurns, loadTurns } from './state/load-turns.js';
export { type StoredTurn } from './state/stored-turn.js';
export {
  type EndedCall,
  isWanted,
  type SourceTools,
  type ToolOffer,
  type ToolSource,
  ToolSources,
} from './state/tool-source.js';
export {
  clientLeft,
  idempotencyKeyReused,
  messageTooLong,
  optionsTooLong,
  queueUnavailable,
  replayOfReplay,
  replayOfSubagent,
  replayOfUnended,
  replayReplaces,
  sessionBusy,
  streamErrors,
  turnErrors,
  turnNotFound,
} from './state/turn-errors.js';
export {
  assistantMessageId,
  countActiveSessions,
  eventsUrl,
  findTurnByKey,
  getTurn,
  type TurnRow,
} from './state/turn-row.js';
export { contextBefore } from './state/turn-state.js';
export {
  type ClientCall,
  type ClientTurn,
  describeDisposition,
  type ExtraWrites,
  type SubmittedTurn,
  type TurnSubmission,
} from './submit/turn-submission.js';
export { TurnSubmitter } from './submit/turn-submitter.js';
export { OneTurnDto } from './turn-record.dto.js';
export { isAccepted, type ResumableTurn, TurnService } from './turn-service.js';
export { TurnApiModule, TurnModule } from './turn.module.js';
export { Sweeper } from './worker/sweeper.js';
export { TurnWorker } from './worker/turn-worker.js';
export { TurnWorkerModule } from './worker/worker.module.js';

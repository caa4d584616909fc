import type { StoredNotice } from '../../notices/notice.js';
import type { JsonObject } from '../../platform/json.js';
import type { UserPart } from '../../provider/model-types.js';
import type { Model } from '../../provider/model.js';
import type { ThinkingPlan } from '../../provider/thinking.js';
import type { RefusalKind } from '../../provider/provider-errors.js';
import type { RequestPrefix, SentPrefix } from '../../storage/shapes/sent-request.js';
import type {
  StepStopReason,
  Usage,
  AssistantPart,
  AttachmentRef,
  StoredPart,
} from '../../storage/shapes/stored-step.js';
import type { Price, ServerTool, ToolSpec } from '../../storage/shapes/stored-options.js';
import type { ToolCallStatus, TurnStatus } from '../../storage/shapes/stored-turn.js';

/** The conversation that an attempt's requests send, up to the user's message. */
export interface SentConversation {
  /** The prefix of the session's requests. */
  prefix: RequestPrefix;
  /** The session has the prefix; else it is stored with the next step. */
  isPrefixStored: boolean;
  earlierTurns: readonly TurnTranscript[];
  /** The summary of the turns before them. */
  summary: string | undefined;
  /** The user's message, files by their bytes. */
  userParts: UserPart[];
  /** The files in the turn's own outputs as they are shown, by call. */
  outputFiles: ReadonlyMap<string, readonly UserPart[]>;
  files: ShownFiles;
  /** Names of the files that the conversation has had. */
  fileNames: readonly string[];
  /** Whether the conversation could be shorter when the attempt began. */
  canShorten: boolean;
  /** Refusals of the provider that were remedied once. */
  recovered: Set<RefusalKind>;
  /** Earlier turns that ended with a refusal of the provider, and are sent all the same. */
  refusedTurns: readonly string[];
}

/** Shows the files of a conversation to the model. */
export interface ShownFiles {
  /** @returns the turns with their files as the model is shown them. */
  show(turns: readonly TurnTranscript[]): Promise<readonly TurnTranscript[]>;
}

/** A turn as the model is shown it. Files are loaded already. */
export interface TurnTranscript {
  turnId: string;
  userParts: UserPart[];
  /** The user's message, files by reference. Absent: no file of it is named to people. */
  asked?: readonly StoredPart[];
  steps: readonly TranscriptStep[];
  /** Results by call id. A call without an entry did not run. */
  results: ReadonlyMap<string, ShownResult>;
  /** Notices posted on the way, in order. */
  notices: readonly Pick<StoredNotice, 'afterStep' | 'mark' | 'kind' | 'text' | 'seenByModel'>[];
  /** Messages steered into the turn, in order. */
  steered: readonly { afterStep: number; text: string }[];
  status: TurnStatus;
  endReason: string | null;
}

export interface ShownResult {
  status: ToolCallStatus;
  output: string | null;
  /** Files of the output, by reference. Absent or null: none. */
  files?: readonly AttachmentRef[] | null;
  /** The files as the model is shown them. Absent: none. */
  shown?: readonly UserPart[];
}

export interface TranscriptStep {
  step: number;
  parts: readonly AssistantPart[];
  stopReason: StepStopReason;
  usage: Usage;
  /** The prefix its thinking is bound to; null where it is not. */
  sent: SentPrefix | null;
}

/** The model calls of an attempt, as far as they depend on the model: another one after a fallback. */
export interface ModelCalls {
  /** The parts of every request beside its messages. */
  frame: RequestFrame;
  /** Price of the model's tokens; undefined where it is not known. */
  price: Price | undefined;
  /** Tokens of a reply at most, where the options have no limit. */
  maxTokens: number;
  /** Tokens from which the model's window counts as full. */
  fullContext: number;
  /** Retries of a step whose stream ends with an overload. */
  overloadRetries: number;
  /** Whether the model may call any of the tools in the prefix. */
  hasTools: boolean;
}

/** The parts of every request of a turn beside its messages and `maxTokens`. */
export interface RequestFrame {
  /** The model's name in the request. */
  modelName: string;
  model: Model;
  system: string;
  tools: readonly ToolSpec[];
  /** Tools that the provider runs. Absent: none. */
  serverTools?: readonly ServerTool[];
  /** Whether none of the tools may be called. */
  isToolless: boolean;
  /** Whether a reply may ask for one call at most. Absent: it may ask for several. */
  isOneCall?: boolean;
  thinking: ThinkingPlan;
  citations: boolean;
  /** JSON Schema that the provider holds replies to; absent: they are free. */
  outputSchema?: JsonObject;
  /** Steps up to this one, `turnId:step`, are sent without their thinking. */
  thinkingAfter: string | undefined;
  /** See `RequestPrefix`. */
  leftOut: readonly string[];
}

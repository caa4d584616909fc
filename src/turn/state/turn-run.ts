import type { AnthropicProvider } from '../../provider/anthropic/anthropic-provider.js';
import type { RefusalKind } from '../../provider/refusal-kind.js';
import type { UserPart } from '../../provider/model-types.js';
import type { Trigger } from '../../notices/trigger.js';
import type { Queryable } from '../../storage/connection.js';
import type { RequestPrefix } from '../../storage/shapes/sent-request.js';
import type { CallRules } from '../approvals/call-rules.js';
import type { Deadline } from './deadline.js';
import type { TurnTranscript } from '../prompt/build-messages.js';
import type { Attempt } from './attempt.js';
import type { ModelCalls } from '../attempt/call-describer.js';
import type { Toolset } from '../attempt/toolset.js';
import type { TurnWatch } from '../attempt/turn-watch.js';

/** An attempt with everything the loop needs. */
export interface TurnRun extends Attempt {
  provider: Pick<AnthropicProvider, 'stream' | 'countTokens'>;
  model: ModelCalls;
  /** The prefix of the session's requests. */
  prefix: RequestPrefix;
  /** The session has the prefix; else it is stored with the next step. */
  isPrefixStored: boolean;
  /** Refusals of the provider that were remedied once. */
  recovered: Set<RefusalKind>;
  /**
   * Makes the run's requests shorter, where they can be.
   *
   * @returns false where they cannot.
   */
  shorten(): Promise<boolean>;
  /** Names of the files that the conversation has had. */
  files: readonly string[];
  earlierTurns: readonly TurnTranscript[];
  /** The summary of the turns before them. */
  summary: string | undefined;
  /** The user's message, files by their bytes. */
  userParts: UserPart[];
  toolset: Toolset;
  watch: TurnWatch;
  /** Triggers that are checked before each model call: the server's and those of extensions. */
  triggers: readonly Trigger[];
  db: Queryable;
  rules: CallRules;
  /** The turn's own time. */
  deadline: Deadline;
  /** Waits for what needs no slot of the worker: other turns have it meanwhile. */
  withoutSlot<T>(wait: () => Promise<T>): Promise<T>;
  /** Takes the server's own secrets out of a text. */
  redact(text: string): string;
}

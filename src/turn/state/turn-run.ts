import type { AnthropicProvider } from '../../provider/anthropic/anthropic-provider.js';
import type { Queryable } from '../../storage/connection.js';
import type { CallRules } from '../approvals/call-rules.js';
import type { Deadline } from './deadline.js';
import type { SentConversation } from '../prompt/sent-conversation.js';
import type { Attempt } from './attempt.js';
import type { ModelCalls } from '../attempt/call-describer.js';
import type { Toolset } from '../attempt/toolset.js';
import type { TurnWatch } from '../attempt/turn-watch.js';

/** An attempt with everything the loop needs. */
export interface TurnRun extends Attempt {
  provider: Pick<AnthropicProvider, 'stream' | 'countTokens'>;
  model: ModelCalls;
  conversation: SentConversation;
  toolset: Toolset;
  watch: TurnWatch;
  db: Queryable;
  rules: CallRules;
  /** The turn's own time. */
  deadline: Deadline;
  /** Waits for what needs no slot of the worker: other turns have it meanwhile. */
  withoutSlot<T>(wait: () => Promise<T>): Promise<T>;
  /** Takes the server's own secrets out of a text. */
  redact(text: string): string;
}

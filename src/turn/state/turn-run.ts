import type { AnthropicProvider } from '../../provider/anthropic/anthropic-provider.js';
import type { Queryable } from '../../storage/connection.js';
import type { CallRules } from '../approvals/call-rules.js';
import type { WorkerTerms } from './worker-terms.js';
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
  terms: WorkerTerms;
  /** Takes the server's own secrets out of a text. */
  redact(text: string): string;
}

import type { OutputFiles } from '../../attachments/output-files.js';
import type { Metrics } from '../../metrics/metrics.js';
import type { Redact } from '../../platform/text/redact.js';
import type { Tracing } from '../../tracing/tracing.js';
import type { AnthropicProvider } from '../../provider/anthropic/anthropic-provider.js';
import type { Database } from '../../storage/connection.js';
import type { ToolHook } from '../../tools/tool-hook.js';
import type { CallRules } from '../approvals/call-rules.js';
import type { ModelCalls } from '../attempt/call-describer.js';
import type { Toolset } from '../attempt/toolset.js';
import type { TurnWatch } from '../attempt/turn-watch.js';
import type { SentConversation } from '../prompt/sent-conversation.js';
import type { OutputPlan } from '../output/output-state.js';
import type { Recording } from '../replay/recording.js';
import type { Attempt } from './attempt.js';
import type { WorkerTerms } from './worker-terms.js';

/** An attempt with everything the loop needs. */
export interface TurnRun extends Attempt {
  model: ModelCalls;
  conversation: SentConversation;
  toolset: Toolset;
  rules: CallRules;
  watch: TurnWatch;
  /** The object that the turn is to end with; absent: it ends with text. */
  output?: OutputPlan;
  /** Answers the calls of a replay; absent: calls run. */
  recording?: Recording;
  terms: WorkerTerms;
  ports: LoopPorts;
}

/** The services that the loop calls. */
export interface LoopPorts {
  db: Database;
  provider: Pick<AnthropicProvider, 'stream' | 'countTokens'>;
  redact: Redact;
  /** Keeps the files in the outputs of tools. */
  outputs: Pick<OutputFiles, 'keep' | 'hold'>;
  /** The operator's decision about each call; null: there is none. */
  toolHook: Pick<ToolHook, 'ask'> | null;
  metrics: Metrics;
  tracing: Pick<Tracing, 'start'>;
}

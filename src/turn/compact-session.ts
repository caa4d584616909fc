import { noUsage, type Usage } from '../events/turn-event.js';
import type { Todo } from '../notices/todo.js';
import { newId } from '../platform/ids.js';
import type { AnthropicProvider } from '../provider/anthropic/anthropic-provider.js';
import type { Model } from '../provider/models/model.js';
import type { ModelMessage, ToolSpec } from '../provider/model-types.js';
import type { Queryable } from '../storage/connection.js';
import { compactions } from '../storage/conversation-schema.js';
import { buildMessages, type TurnTranscript } from './build-messages.js';
import { elideOutputs } from './elide-outputs.js';
import type { Compaction } from './turn-claims.js';
import { noSummary, nothingToCompact } from './turn-errors.js';

/** Room for the summary, in tokens. */
const SUMMARY_TOKENS = 4_000;

/** Share of the window a conversation may fill to be sent whole, to be summarised. */
const WHOLE_SHARE = 0.8;

const instructions = `Summarise the conversation so far for your own later use: it will be all you have of it.
Keep, in this order: what the user wants, with every constraint they gave; decisions and why; files read or changed, with their paths; what failed and what was learned from it; what is under way and what comes next. Quote names, paths, commands and numbers exactly. Do not add anything that was not said. Answer with the summary alone.`;

export interface CompactDeps {
  db: Queryable;
  provider: Pick<AnthropicProvider, 'stream'>;
  now: Date;
  /** Told what the call has cost so far, also where no summary comes of it. */
  onUsage?: (usage: Usage) => void;
}

export interface CompactSource {
  sessionId: string;
  model: Model;
  /** The turns to summarise, oldest first. */
  turns: readonly (TurnTranscript & { turnId: string })[];
  /** Tokens of them, as far as the provider told. */
  contextTokens: number;
  todos: readonly Todo[];
  /** Of the agent: the API refuses calls in a history without their tools. */
  tools: ToolSpec[];
  reason: 'automatic' | 'requested';
}

/** Tokens of a summary's call at most, for a conversation of so many. */
export function summaryTokens(contextTokens: number): { input: number; reply: number } {
  return { input: contextTokens + instructions.length, reply: SUMMARY_TOKENS };
}

/**
 * Has the model summarise turns, and stores the summary in their place. The turns stay stored and
 * readable; later model calls get the summary instead.
 *
 * @throws TypedError where there is nothing to summarise or the model gave no summary; what the
 *   provider throws. Nothing is stored then.
 */
export async function compactSession(
  deps: CompactDeps,
  source: CompactSource,
  signal: AbortSignal,
): Promise<Compaction> {
  const last = source.turns.at(-1);
  if (last === undefined) throw nothingToCompact(source.sessionId);
  const { text, usage } = await summarise(deps, source, signal);
  const row = {
    id: newId('cmp'),
    sessionId: source.sessionId,
    throughTurnId: last.turnId,
    reason: source.reason,
    summary: withTodos(text, source.todos),
    usage,
    createdAt: deps.now,
  };
  await deps.db.insert(compactions).values(row);
  const { id, throughTurnId, summary } = row;
  return { id, throughTurnId, summary };
}

async function summarise(
  { provider, onUsage }: CompactDeps,
  { model, turns, contextTokens, tools }: CompactSource,
  signal: AbortSignal,
): Promise<{ text: string; usage: Usage }> {
  const isWhole = contextTokens < model.contextWindow * WHOLE_SHARE;
  const shown = isWhole ? turns : turns.map((turn) => elideOutputs(turn));
  const messages: ModelMessage[] = [
    ...buildMessages(shown, model),
    { role: 'user', parts: [{ type: 'text', text: instructions }] },
  ];
  let text = '';
  let usage = noUsage;
  const request = { model: model.id, system: '', messages, tools, maxTokens: SUMMARY_TOKENS };
  for await (const batch of provider.stream(request, signal)) {
    for (const event of batch) {
      if (event.type === 'text.delta') text += event.text;
      if (event.type !== 'started' && event.type !== 'ended') continue;
      usage = event.usage;
      onUsage?.(usage);
    }
  }
  if (text.trim() === '') throw noSummary(model.id);
  return { text: text.trim(), usage };
}

/** What is open is not for a summary to lose. */
function withTodos(summary: string, todos: readonly Todo[]): string {
  const open = todos.filter((todo) => todo.status !== 'completed');
  if (open.length === 0) return summary;
  const lines = open.map((todo) => `- [${todo.status}] ${todo.content}`);
  return `${summary}\n\nOpen todos:\n${lines.join('\n')}`;
}

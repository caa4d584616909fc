import type { Usage, Todo } from '../../storage/shapes/stored-step.js';
import { addUsage, noUsage } from '../../events/turn-event.js';
import { newId } from '../../platform/ids.js';
import type { AnthropicProvider } from '../../provider/anthropic/anthropic-provider.js';
import { estimateText, estimateTokens } from '../../provider/estimate-tokens.js';
import type { ModelRequest } from '../../provider/model-types.js';
import type { Model } from '../../provider/model.js';
import { refusalKind } from '../../provider/provider-errors.js';
import type { Queryable } from '../../storage/connection.js';
import { compactions } from '../../storage/schema.js';
import { buildMessages, type TurnTranscript } from './build-messages.js';
import { requestOf, type RequestFrame } from './request-frame.js';
import { splitTurns } from './split-turns.js';
import type { Compaction } from '../state/attempt.js';
import { noSummary, nothingToCompact } from '../state/turn-errors.js';

/** Tokens of the summary at most. */
const SUMMARY_TOKENS = 4_000;

/**
 * Shares of the window that one call's conversation may fill; the next is tried where one is too
 * much.
 */
const SHARES = [0.8, 0.4, 0.2];

const instructions = `Summarise the conversation so far for your own later use: it will be all you have of it.
Keep, in this order: what the user wants, with every constraint they gave; decisions and why; files read or changed, with their paths; what failed and what was learned from it; what is under way and what comes next. Quote names, paths, commands and numbers exactly. Do not add anything that was not said. Call no tools: answer with the summary alone.`;

export interface CompactDeps {
  db: Queryable;
  provider: Pick<AnthropicProvider, 'stream'>;
  now: Date;
  /** Called with the usage of the calls so far, also where no summary comes of them. */
  onUsage?: (usage: Usage) => void;
}

export interface CompactSource {
  sessionId: string;
  /** The turns to summarise, oldest first. */
  turns: readonly TurnTranscript[];
  /** The summary that stands for the turns before them. */
  summary: string | undefined;
  /** Tokens of the turns, as far as the provider reported. */
  contextTokens: number;
  todos: readonly Todo[];
  /** Names of the files that the conversation has had. */
  files: readonly string[];
  /** The frame of the session's turns, whose prefix is in the provider's cache. */
  frame: RequestFrame;
  reason: 'automatic' | 'requested';
}

/** Tokens of a summary's call at most, for a conversation of so many. */
export function summaryTokens(contextTokens: number): { input: number; reply: number } {
  return { input: contextTokens + estimateTokens(instructions), reply: SUMMARY_TOKENS };
}

/**
 * Has the model summarise turns, and stores the summary in their place. The turns stay stored and
 * readable; later model calls get the summary instead. A conversation that does not fit into one call
 * is summarised piece by piece, each with the summary of those before.
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
    summary: withOpenEnds(text, source),
    usage,
    createdAt: deps.now,
  };
  await deps.db.insert(compactions).values(row);
  const { id, throughTurnId, summary } = row;
  return { id, throughTurnId, summary };
}

interface Summary {
  text: string;
  usage: Usage;
}

async function summarise(
  deps: CompactDeps,
  source: CompactSource,
  signal: AbortSignal,
): Promise<Summary> {
  const { model } = source.frame;
  const estimate = (text: string): number => estimateText(text, model);
  let spent = noUsage;
  const onUsage = (usage: Usage): void => deps.onUsage?.((spent = usage));
  for (const share of SHARES) {
    const limit = model.contextWindow * share - SUMMARY_TOKENS;
    const isWhole = source.contextTokens < limit;
    const pieces = isWhole ? [source.turns] : splitTurns(source.turns, limit, estimate);
    try {
      return await summarisePieces({ ...deps, onUsage }, { ...source, pieces, spent }, signal);
    } catch (error) {
      const isLast = share === SHARES.at(-1);
      if (isLast || refusalKind(error) !== 'prompt-too-long') throw error;
    }
  }
  throw noSummary(source.frame.modelName);
}

async function summarisePieces(
  { provider, onUsage }: CompactDeps,
  source: CompactSource & { pieces: readonly (readonly TurnTranscript[])[]; spent: Usage },
  signal: AbortSignal,
): Promise<Summary> {
  let { summary, spent } = source;
  for (const piece of source.pieces) {
    const before = spent;
    const request = summaryRequest(source.frame, piece, summary);
    const addSpent = (usage: Usage): void => onUsage?.((spent = addUsage(before, usage)));
    summary = await readSummary(
      provider,
      { request, model: source.frame.model, onUsage: addSpent },
      signal,
    );
    if (summary === '') throw noSummary(source.frame.modelName);
  }
  return { text: summary ?? '', usage: spent };
}

function summaryRequest(
  frame: RequestFrame,
  turns: readonly TurnTranscript[],
  summary: string | undefined,
): ModelRequest {
  const ask: TurnTranscript = {
    turnId: '',
    userParts: [{ type: 'text', text: instructions }],
    steps: [],
    results: new Map(),
    notices: [],
    steered: [],
    status: 'running',
    endReason: null,
  };
  const { messages } = buildMessages([...turns, ask], { ...frame, summary });
  return { ...requestOf(frame), messages, maxTokens: SUMMARY_TOKENS };
}

async function readSummary(
  provider: Pick<AnthropicProvider, 'stream'>,
  { request, model, onUsage }: SummaryCall,
  signal: AbortSignal,
): Promise<string> {
  let text = '';
  let usage = noUsage;
  let isWhole = false;
  try {
    await provider.stream(request, signal).read((events) => {
      for (const event of events) {
        if (event.type === 'text.delta') text += event.text;
        if (event.type === 'started' || event.type === 'ended') usage = event.usage;
        isWhole ||= event.type === 'ended';
      }
    });
  } finally {
    // The usage of a summary that was cut is paid for too.
    const outputTokens = Math.max(usage.outputTokens, isWhole ? 0 : estimateText(text, model));
    onUsage({ ...usage, outputTokens });
  }
  return text.trim().toWellFormed();
}

interface SummaryCall {
  request: ModelRequest;
  model: Model;
  onUsage: (usage: Usage) => void;
}

/** Open todos, and files that can be asked for again, must not depend on a summary. */
function withOpenEnds(summary: string, { todos, files }: CompactSource): string {
  const open = todos.filter((todo) => todo.status !== 'completed');
  return [
    summary,
    ...list(
      'Open todos',
      open.map((todo) => `[${todo.status}] ${todo.content}`),
    ),
    ...list('Files the user has attached', files),
  ].join('\n\n');
}

function list(title: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [`${title}:\n${items.map((item) => `- ${item}`).join('\n')}`];
}

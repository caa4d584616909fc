import { desc, eq } from 'drizzle-orm';
import { addUsage, noUsage } from '../../events/turn-event.js';
import { newId } from '../../platform/ids.js';
import type { Logger } from '../../platform/logger.js';
import type { ModelProvider } from '../../provider/model-provider.js';
import { estimateText, estimateTokens } from '../../provider/estimate-tokens.js';
import type { ModelRequest } from '../../provider/model-types.js';
import type { Model } from '../../provider/model.js';
import { refusalKind } from '../../provider/provider-errors.js';
import type { Queryable } from '../../storage/connection.js';
import type { Usage, Todo } from '../../storage/shapes/stored-step.js';
import { findPaidHeadroom } from '../../governance/limits/find-headroom.js';
import { reserveCall, type ReserveDeps } from '../../governance/budgets/reserve-call.js';
import { settle } from '../../governance/budgets/usage-days.js';
import type { Attempt, Compaction } from '../state/attempt.js';
import type { RequestFrame, TurnTranscript } from '../state/attempt-context.js';
import { noSummary, nothingToCompact } from '../state/turn-errors.js';
import { addOverhead } from '../state/turn-state.js';
import { buildMessages } from './build-messages.js';
import { requestOf } from './model-request.js';
import { compactions } from '../../storage/schema.js';
import type { DayLimits, Price } from '../../storage/shapes/stored-options.js';
import { describeDayShortage, type DayShortage } from '../../governance/limits/day-budget.js';
import { splitTurns } from './split-turns.js';

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
  provider: Pick<ModelProvider, 'stream'>;
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

/** The session's last compaction. */
export async function findCompaction(
  db: Queryable,
  sessionId: string,
): Promise<Compaction | undefined> {
  const { id, throughTurnId, summary, createdAt } = compactions;
  const [last] = await db
    .select({ id, throughTurnId, summary })
    .from(compactions)
    .where(eq(compactions.sessionId, sessionId))
    .orderBy(desc(createdAt), desc(id))
    .limit(1);
  return last;
}

/**
 * Compacts the conversation before a turn, at the expense of the turn, where its budgets pay for a summary.
 *
 * @returns the summary, or why there is none, in words for clients.
 * @throws the lease's reason when it ends.
 */
export async function compactBefore(
  attempt: Attempt,
  source: Omit<CompactSource, 'sessionId' | 'reason'>,
): Promise<Compaction | { problem: string }> {
  const { services, turn, clock, lease, progress, logger } = attempt;
  const { db, provider, models } = services;
  const { model, costLimit } = turn.options.options;
  const problem = findShortage(attempt, source);
  if (problem !== undefined) return { problem };
  // A takeover finds the expense by this time, whichever process has the later clock.
  const now = new Date(Math.max(clock.now(), (turn.startedAt ?? turn.createdAt).getTime()));
  let spent = noUsage;
  const { principalId, sessionId, budget: limits } = turn;
  const { price } = models.describe(model);
  const { contextTokens } = source;
  try {
    const made = await settleSummary(
      { db, clock, logger, signal: lease.signal },
      { principalId, limits, price, contextTokens },
      (onUsage) =>
        compactSession(
          { db, provider, now, onUsage: (usage) => onUsage((spent = usage)) },
          { ...source, sessionId, reason: 'automatic' },
          lease.signal,
        ),
    );
    return 'shortage' in made ? { problem: describeDayShortage(made.shortage) } : made;
  } catch (error) {
    lease.signal.throwIfAborted();
    logger.warn(
      { error },
      'could not summarise the conversation; the turn goes on, and old tool outputs are cut instead',
    );
    return { problem: 'the model gave no summary' };
  } finally {
    progress.overhead = addUsage(progress.overhead, spent);
    progress.state = addOverhead(progress.state, spent, costLimit);
  }
}

/** The budget that cannot pay for a summary, in words; undefined: each can. */
function findShortage(
  { turn, progress }: Attempt,
  { contextTokens }: Pick<CompactSource, 'contextTokens'>,
): string | undefined {
  const { input, reply } = summaryTokens(contextTokens);
  const { costLimit } = turn.options.options;
  const headroom = findPaidHeadroom(progress.state, { input, cached: 0 }, costLimit);
  if (headroom.reply >= reply) return undefined;
  const name =
    headroom.budget === 'token_budget' ? "session's token budget" : "turn's limit of cost";
  return `what is left of the ${name} does not pay for it. Raise it, or compact the session by request`;
}

export interface SummaryToPay {
  principalId: string;
  /** Null or undefined: any amount, and nothing is counted. */
  limits: DayLimits | null | undefined;
  price: Price | undefined;
  /** Tokens of the conversation, as far as the provider reported. */
  contextTokens: number;
}

/**
 * Has a conversation summarised at the expense of its principal's day: reserved before the call,
 * settled after it whatever comes of it. A settlement that fails leaves the reservation standing.
 *
 * @param summarise gets a callback for the call's usage so far.
 * @returns the shortage of the day, and no call was made; else what `summarise` gives.
 * @throws what `summarise` throws.
 */
export async function settleSummary<T>(
  { logger, ...deps }: ReserveDeps & { logger: Logger },
  { principalId, limits, price, contextTokens }: SummaryToPay,
  summarise: (onUsage: (usage: Usage) => void) => Promise<T>,
): Promise<T | { shortage: DayShortage }> {
  if (limits === null || limits === undefined) return summarise(() => undefined);
  const { input, reply } = summaryTokens(contextTokens);
  const size = { input, cached: 0, reply };
  const call = { principalId, limits, size, minReply: reply, price };
  const reserved = await reserveCall(deps, call);
  if (reserved.type === 'refused') return { shortage: reserved.shortage };
  let spent = noUsage;
  try {
    return await summarise((usage) => (spent = usage));
  } finally {
    await settle(deps.db, reserved.reservation, spent).catch((error: unknown) =>
      logger.warn(
        { error },
        'could not release the budget reserved for a summary; it counts until the end of the day',
      ),
    );
  }
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
  provider: Pick<ModelProvider, 'stream'>,
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

/** Tokens of a summary's call at most, for a conversation of so many. */
function summaryTokens(contextTokens: number): { input: number; reply: number } {
  return { input: contextTokens + estimateTokens(instructions), reply: SUMMARY_TOKENS };
}

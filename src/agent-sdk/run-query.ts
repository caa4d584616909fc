import type { FollowedTurn } from '../client/turnpike-client.js';
import { isRefusal } from './is-refusal.js';
import { compact } from '../platform/compact.js';
import { serverMode } from './server-mode.js';
import { uuidOfSession } from './message-ids.js';
import { openSession, type OpenedSession } from './open-session.js';
import { closed, type QueryState } from './query-state.js';
import { commandIn } from './project-commands.js';
import { readPrompt, type PromptMessage } from './read-prompt.js';
import { readTurn } from './read-turn.js';
import { blockOf, contextOf, runHooks, wantsEnd, type HookFacts } from './run-hooks.js';
import { ResultError } from './sdk-errors.js';
import type { SDKMessage, SDKResultMessage, SDKUserMessage } from './sdk-messages.js';
import { withoutTurn } from './turn-end.js';

/**
 * Runs a query to its end: a turn for each message of the prompt, and before them one that its session still has open. A
 * reader that leaves ends the turn; a process that dies does not.
 *
 * @throws ResultError after the result of one text that is an error; AbortError; UnsupportedError; TurnpikeError.
 */
export async function* runQuery(
  state: QueryState,
  prompt: string | AsyncIterable<SDKUserMessage>,
): AsyncGenerator<SDKMessage, void, undefined> {
  const { client, options, plan, leaving } = state;
  try {
    const session = await openSession(client, options, plan).catch((error: unknown) => {
      if (options.resume === undefined || !isRefusal(error, 'SESSION_NOT_FOUND')) throw error;
      return error;
    });
    if (session instanceof Error) {
      yield* missing(state, session.message);
      return;
    }
    state.sessionId = session.record.sessionId;
    state.cwd = session.record.projectRoot;
    if (session.openTurn !== undefined) {
      // Its result is not the one of this prompt.
      yield* readTurn(state, client.follow(session.openTurn, { signal: leaving.signal }), true);
    }
    yield* runPrompt(state, session, prompt);
  } catch (error) {
    if (error !== closed) throw error;
  } finally {
    if (options.persistSession === false && state.sessionId !== '') {
      await client.sessions.delete(state.sessionId);
    }
  }
}

/** The result of a query whose session is not there. @throws ResultError after it. */
function* missing(state: QueryState, message: string): Generator<SDKMessage, void, undefined> {
  const sessionId = state.options.resume ?? '';
  const subtype = 'error_during_execution';
  const told = { subtype, is_error: true, errors: [message] } satisfies Partial<SDKResultMessage>;
  const result = withoutTurn(told, { sessionId, total: state.total, number: 1 });
  yield result;
  throw new ResultError(result);
}

async function* runPrompt(
  state: QueryState,
  session: OpenedSession,
  prompt: string | AsyncIterable<SDKUserMessage>,
): AsyncGenerator<SDKMessage, void, undefined> {
  const { client, leaving } = state;
  let context = await startSession(state, session.isResumed);
  let { replaces } = session;
  let turns = 0;
  let last: SDKResultMessage | undefined;
  for await (const message of readPrompt(prompt, { client, signal: leaving.signal })) {
    turns += 1;
    const result = yield* runMessage(state, message, { context, replaces, turns });
    [context, replaces] = [[], undefined];
    yield result;
    last = result;
    // Its question stays open: the next query of the session asks the hook again.
    if (result.terminal_reason === 'tool_deferred') return;
  }
  // A program that aborts after the result is told, too.
  leaving.signal.throwIfAborted();
  if (last?.is_error === true) throw new ResultError(last);
}

interface MessageContext {
  /** What hooks add to what the model is told. */
  context: readonly string[];
  replaces: string | undefined;
  /** The number of the message, from 1. */
  turns: number;
}

/** Runs a message, and what hooks at the end of its turn want after it. @returns the result of the last turn. */
async function* runMessage(
  state: QueryState,
  { text, files }: PromptMessage,
  { context, replaces, turns }: MessageContext,
): AsyncGenerator<SDKMessage, SDKResultMessage, undefined> {
  const submitted = await submitPrompt(state, text);
  if ('blocked' in submitted) {
    const result = submitted.blocked;
    const told = { subtype: 'success', is_error: false, result } as const;
    return withoutTurn(told, { ...state, number: turns });
  }
  let message = [text, ...context, ...submitted.context].join('\n\n');
  let wanted: Wanted = { files, replaces };
  let before = 0;
  for (let again = false; ; again = true) {
    const left = budgetLeft(state);
    if (left !== undefined && left <= 0) return overBudget(state, turns);
    const turn = await submit(state, message, { ...wanted, left });
    const ended = yield* readTurn(state, turn, false);
    const result = { ...ended, num_turns: ended.num_turns + before };
    const isDone = result.terminal_reason === 'completed';
    const reason = isDone ? await stopBlocked(state, again) : undefined;
    if (reason === undefined) return result;
    [message, before] = [reason, result.num_turns];
    wanted = { files: [], replaces: undefined };
  }
}

interface Wanted {
  files: readonly string[];
  replaces: string | undefined;
}

async function submit(
  { client, plan, sessionId, mode, model, options, leaving }: QueryState,
  message: string,
  { files, replaces, left }: Wanted & { left: number | undefined },
): Promise<FollowedTurn> {
  const { instructions = '' } = plan;
  const hasHooks = plan.hookAsks.length > 0 || options.hooks?.PermissionRequest !== undefined;
  const prompt = await commandIn(client, sessionId, { plan, message });
  return client.turn({
    sessionId,
    message,
    signal: leaving.signal,
    ...(instructions === '' ? {} : { instructions }),
    ...(files.length === 0 ? {} : { attachments: files.map((id) => ({ id })) }),
    opts: {
      ...plan.turn,
      ...compact({ model, replaces, maxCostUsd: left, prompt }),
      mode: serverMode(mode, hasHooks),
    },
  });
}

async function startSession(state: QueryState, isResumed: boolean): Promise<string[]> {
  const input = { source: isResumed ? 'resume' : 'startup' };
  const answers = await tell(state, 'SessionStart', input);
  return contextOf(answers);
}

/** What hooks say of a message before it is sent. */
async function submitPrompt(
  state: QueryState,
  prompt: string,
): Promise<{ blocked: string } | { context: string[] }> {
  const answers = await tell(state, 'UserPromptSubmit', { prompt });
  const reason = wantsEnd(answers) ? 'A hook ended it' : blockOf(answers, 'UserPromptSubmit');
  if (reason === undefined) return { context: contextOf(answers) };
  return { blocked: reason === '' ? 'A hook blocked the message' : reason };
}

/** Why a turn that ended is to go on; undefined: it is not. */
async function stopBlocked(state: QueryState, isActive: boolean): Promise<string | undefined> {
  const answers = await tell(state, 'Stop', { stop_hook_active: isActive });
  return blockOf(answers, 'Stop');
}

function tell(
  state: QueryState,
  event: 'SessionStart' | 'UserPromptSubmit' | 'Stop',
  input: Record<string, unknown>,
): ReturnType<typeof runHooks> {
  const { sessionId, cwd, mode, leaving, options } = state;
  const facts: HookFacts = { session: uuidOfSession(sessionId), cwd, mode };
  return runHooks(options.hooks, event, { facts, input, signal: leaving.signal });
}

function budgetLeft({ options: { maxBudgetUsd }, total }: QueryState): number | undefined {
  return maxBudgetUsd === undefined ? undefined : maxBudgetUsd - total.costUsd;
}

function overBudget(state: QueryState, number: number): SDKResultMessage {
  const errors = ['maxBudgetUsd is spent by the turns before'];
  const subtype = 'error_max_budget_usd';
  const terminal_reason = 'limit';
  return withoutTurn({ subtype, is_error: true, errors, terminal_reason }, { ...state, number });
}

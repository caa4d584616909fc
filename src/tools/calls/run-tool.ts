import { types } from 'node:util';
import { untilAborted, withDeadline } from '../../platform/async/deadlines.js';
import type { Clock } from '../../platform/clock.js';
import {
  outputText,
  type OutputBlock,
  type ToolOutput,
} from '../../platform/parsing/tool-output.js';
import { hostPath } from '../../platform/text/host-path.js';
import type { CallableTool } from '../registry.js';
import { type CallAnswer, CallWaits, type ToolCall, ToolFailure } from '../tool.js';
import { compact } from '../../platform/compact.js';

/** Longest silence of a call that runs. */
const TICK_MS = 5_000;
/** Between two words of a call: each is an event of the log. */
const MIN_GAP_MS = 1_000;
const NOTE_CHARS = 200;

export interface RunToolOptions {
  callId: string;
  /** See `ToolCall`. */
  idempotencyKey: string;
  /** The turn's signal. */
  signal: AbortSignal;
  /** Time limit in ms, after which the call's signal aborts and the call has failed; a tool may have its own. */
  timeoutMs: number;
  /** Most characters of output that are kept (see `capOutput`). */
  outputLimit: number;
  clock: Clock;
  /** See `ToolCall`. */
  answers?: readonly CallAnswer[];
  ask?: ToolCall['ask'];
  sample?: ToolCall['sample'];
  /** Called with the tool's first note at once, then once a second at most, and every five seconds without one. Must not throw. */
  progress(note: string, elapsedMs: number): void;
}

/** The outcome of a call; `output` is for the model and for clients. */
export interface ToolOutcome {
  status: 'success' | 'error';
  output: string;
  /** The output with its files. Absent: it has none. */
  blocks?: readonly OutputBlock[];
  durationMs: number;
}

/**
 * Runs one call. Wrong input, a tool that throws and a tool that takes too long are outcomes for the
 * model. Only an abort of `signal` rejects, with the signal's reason and at once. A tool that ignores
 * the abort may still be at work, and its outcome is unknown. A tool without a time limit is waited for, and any
 * error of it but a ToolFailure is thrown: its outcome is not known, and the attempt cannot go on.
 *
 * @throws CallWaits of a tool that asks its person.
 */
export async function runTool(
  tool: CallableTool,
  input: unknown,
  options: RunToolOptions,
): Promise<ToolOutcome> {
  const { callId, idempotencyKey, signal, timeoutMs, clock, answers, ask, sample } = options;
  signal.throwIfAborted();
  const startedAt = clock.now();
  const end = (status: ToolOutcome['status'], output: ToolOutput): ToolOutcome => ({
    status,
    output: capOutput(outputText(output), options.outputLimit),
    ...(typeof output === 'string' ? {} : { blocks: output }),
    durationMs: clock.now() - startedAt,
  });

  const checked = tool.checkInput(input);
  if (!checked.ok) return end('error', `${tool.name}: input is not valid: ${checked.message}`);

  const ticker = startProgressTicker(clock, `${tool.name} is running`, options.progress);
  const limit = limitOf(tool, timeoutMs);
  const callOf = (stop: AbortSignal, { extend, hold }: CallTime): ToolCall => ({
    callId,
    idempotencyKey,
    signal: stop,
    progress: (note) => {
      ticker.note(note);
      extend();
    },
    ...compact({
      answers,
      ask: ask && asking(ask, stop, hold),
      sample: sample && sampling(sample, stop, extend),
    }),
  });
  /** @param stop ends the wait for the tool. Absent: the call is awaited even if the turn ends. */
  const run = async (stop?: AbortSignal, time: CallTime = endless): Promise<ToolOutcome> => {
    try {
      const output = tool.run(checked.input, callOf(stop ?? signal, time));
      return end('success', await (stop === undefined ? output : untilAborted(output, stop)));
    } catch (error) {
      if (stop !== undefined) signal.throwIfAborted();
      if (error instanceof ToolFailure) return end('error', error.blocks ?? error.message);
      if (error instanceof CallWaits && stop?.aborted !== true) throw error;
      if (stop === undefined) throw error;
      if (!stop.aborted) return end('error', describeFailure(tool.name, error));
      const warning = 'and was aborted; it may have done part of its work';
      return end('error', `${limit.reason.message} ${warning}`);
    }
  };
  try {
    if (tool.timeLimit === 'none') return await run();
    // A signal of the call's own: a tool's listeners must not stay on the turn's.
    if (tool.timeLimit === 'turn') return await run(AbortSignal.any([signal]));
    return await withDeadline(clock, { ...limit, outer: signal }, (stop, extend, hold) =>
      run(stop, { extend, hold }),
    );
  } finally {
    ticker.stop();
  }
}

/** The time that a tool's call may take in ms, without progress and in all, and the reason of an end after it. */
function limitOf({ name, timeLimit }: CallableTool, timeoutMs: number) {
  const limits = typeof timeLimit === 'object' ? timeLimit : undefined;
  const ms = limits?.ms ?? timeoutMs;
  const maxMs = limits === undefined ? undefined : Math.max(ms, limits.maxMs);
  const allowed =
    maxMs === undefined ? `${ms} ms` : `${ms} ms without progress, or ${maxMs} ms in all`;
  return { ms, reason: new Error(`${name} timed out after ${allowed}`), ...compact({ maxMs }) };
}

/** The time of a call. */
interface CallTime {
  extend(): void;
  hold(): () => void;
}

const endless: CallTime = { extend: () => undefined, hold: () => () => undefined };

/** Asks as `ask` does, outside of the call's time. */
function asking(
  ask: NonNullable<ToolCall['ask']>,
  stop: AbortSignal,
  hold: CallTime['hold'],
): NonNullable<ToolCall['ask']> {
  return async (question, signal) => {
    const goOn = hold();
    try {
      return await ask(question, AbortSignal.any([signal, stop]));
    } finally {
      goOn();
    }
  };
}

/** Asks the model as `sample` does, until the call is over. A call that asks is not silent. */
function sampling(
  sample: NonNullable<ToolCall['sample']>,
  stop: AbortSignal,
  extend: CallTime['extend'],
): NonNullable<ToolCall['sample']> {
  return async (request, signal) => {
    extend();
    try {
      return await sample(request, AbortSignal.any([signal, stop]));
    } finally {
      extend();
    }
  };
}

/**
 * Emits the first note at once, a later one a second after the last emission, and the latest again after five seconds of
 * silence: a chatty tool cannot flood the log.
 *
 * @param firstNote the note until the tool sets its own, which is cut at 200 characters.
 */
function startProgressTicker(clock: Clock, firstNote: string, emit: RunToolOptions['progress']) {
  const startedAt = clock.now();
  let latest = firstNote;
  let emittedAt = -Infinity;
  let isDue = false;
  let isOver = false;
  let cancel = clock.after(TICK_MS, tick);
  function tick(): void {
    const now = clock.now();
    cancel();
    cancel = clock.after(TICK_MS, tick);
    emittedAt = now;
    isDue = false;
    emit(latest, now - startedAt);
  }
  return {
    note: (text: string) => {
      const next = text.slice(0, NOTE_CHARS);
      // A tool may say more when its call has ended, by time or with its turn.
      if (isOver || next === latest) return;
      latest = next;
      const waitMs = emittedAt + MIN_GAP_MS - clock.now();
      if (waitMs <= 0) return tick();
      if (isDue) return;
      isDue = true;
      cancel();
      cancel = clock.after(waitMs, tick);
    },
    stop: () => {
      isOver = true;
      cancel();
    },
  };
}

/**
 * The text for the model when a tool threw. The message of a `ToolFailure` is passed on as it is; any
 * other error is shown without its stack and without paths of the host, as clients see the text too.
 */
export function describeFailure(toolName: string, error: unknown): string {
  if (error instanceof ToolFailure) return error.message;
  const code = systemErrorCode(error);
  if (code !== undefined) return `${toolName} failed: ${code}`;
  const message = types.isNativeError(error)
    ? error.message
    : typeof error === 'string'
      ? error
      : '';
  const shown = message
    .split('\n')
    .filter((line) => !/^\s+at /.test(line))
    .join('\n')
    .replace(hostPath, '<path>')
    .trim();
  return shown === '' ? `${toolName} failed` : `${toolName} failed: ${shown}`;
}

/** The code of an error of the operating system, whose message would show the path. */
function systemErrorCode(error: unknown): string | undefined {
  if (!types.isNativeError(error) || !('syscall' in error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Keeps the first and the last `limit / 2` characters (UTF-16 units, no pair is split) of a text longer
 * than `limit`, with a marker between them. The marker's own length comes on top of `limit`.
 */
export function capOutput(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = text.slice(0, cutAt(text, Math.ceil(limit / 2)));
  const tail = text.slice(cutAt(text, text.length - Math.floor(limit / 2), 'forward'));
  const shown = head.length + tail.length;
  return `${head}\n[output cut: ${shown} of ${text.length} characters shown]\n${tail}`;
}

/** `index`, moved by one towards the dropped part where it would split a surrogate pair. */
function cutAt(text: string, index: number, towards: 'back' | 'forward' = 'back'): number {
  const splits = isBetween(text.charCodeAt(index - 1), 0xd800, 0xdbff);
  if (!splits || !isBetween(text.charCodeAt(index), 0xdc00, 0xdfff)) return index;
  return towards === 'back' ? index - 1 : index + 1;
}

function isBetween(code: number, low: number, high: number): boolean {
  return code >= low && code <= high;
}

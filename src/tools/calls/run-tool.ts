import { untilAborted } from '../../platform/async/abort.js';
import type { Clock } from '../../platform/clock.js';
import { withDeadline } from '../../platform/async/with-deadline.js';
import { outputText, type OutputBlock, type ToolOutput } from '../../parsing/tool-output.js';
import { capOutput } from '../cap-output.js';
import { describeFailure } from './describe-failure.js';
import type { CallableTool } from '../open-tools.js';
import type { ToolCall } from '../tool.js';
import { ToolFailure } from '../tool-failure.js';
import { compact } from '../../platform/compact.js';

const TICK_MS = 5_000;
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
  /** Called every five seconds while the tool runs. Must not throw. */
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
 */
export async function runTool(
  tool: CallableTool,
  input: unknown,
  options: RunToolOptions,
): Promise<ToolOutcome> {
  const { callId, idempotencyKey, signal, timeoutMs, clock } = options;
  signal.throwIfAborted();
  const startedAt = clock.now();
  const end = (status: ToolOutcome['status'], given: ToolOutput): ToolOutcome => ({
    status,
    output: capOutput(outputText(given), options.outputLimit),
    ...(typeof given === 'string' ? {} : { blocks: given }),
    durationMs: clock.now() - startedAt,
  });

  const checked = tool.checkInput(input);
  if (!checked.ok) return end('error', `${tool.name}: input is not valid: ${checked.message}`);

  const firstNote = `${tool.name} is running`;
  const ticker = startProgressTicker({ clock, firstNote, emit: options.progress });
  const { ms = timeoutMs, mostMs } = typeof tool.timeLimit === 'object' ? tool.timeLimit : {};
  const most = mostMs === undefined ? undefined : Math.max(ms, mostMs);
  const allowed =
    most === undefined ? `${ms} ms` : `${ms} ms without progress, or ${most} ms in all`;
  const reason = new Error(`${tool.name} timed out after ${allowed}`);
  const callOf = (stop: AbortSignal, extend = (): void => undefined): ToolCall => ({
    callId,
    idempotencyKey,
    signal: stop,
    progress: (note) => {
      ticker.note(note);
      extend();
    },
  });
  const settle = async (): Promise<ToolOutcome> => {
    try {
      return end('success', await tool.run(checked.input, callOf(signal)));
    } catch (error) {
      if (error instanceof ToolFailure) return end('error', error.blocks ?? error.message);
      throw error;
    }
  };
  const run = async (stop: AbortSignal, extend?: () => void): Promise<ToolOutcome> => {
    try {
      const call = callOf(stop, extend);
      return end('success', await untilAborted(tool.run(checked.input, call), stop));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ToolFailure) return end('error', error.blocks ?? error.message);
      if (!stop.aborted) return end('error', describeFailure(tool.name, error));
      const warning = 'and was aborted; it may have done part of its work';
      return end('error', `${reason.message} ${warning}`);
    }
  };
  try {
    if (tool.timeLimit === 'none') return await settle();
    // A signal of the call's own: a tool's listeners must not stay on the turn's.
    if (tool.timeLimit === 'turn') return await run(AbortSignal.any([signal]));
    const limit = { ms, reason, outer: signal, ...compact({ mostMs: most }) };
    return await withDeadline(clock, limit, run);
  } finally {
    ticker.stop();
  }
}

interface ProgressTicker {
  /** Sets the note of the next tick, cut at 200 characters. */
  note(text: string): void;
  stop(): void;
}

interface TickerOptions {
  clock: Clock;
  /** The note until the tool sets its own. */
  firstNote: string;
  /** Called with the latest note and the milliseconds since the start. */
  emit(note: string, elapsedMs: number): void;
}

/** Emits the latest note at a fixed interval, so that a chatty tool cannot flood the log. */
function startProgressTicker(options: TickerOptions): ProgressTicker {
  const { clock } = options;
  const startedAt = clock.now();
  let latest = options.firstNote;
  let cancel = clock.after(TICK_MS, tick);
  function tick(): void {
    cancel = clock.after(TICK_MS, tick);
    options.emit(latest, clock.now() - startedAt);
  }
  return {
    note: (text) => {
      latest = text.slice(0, NOTE_CHARS);
    },
    stop: () => cancel(),
  };
}

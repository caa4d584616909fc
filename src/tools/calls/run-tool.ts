import { linkAbort, untilAborted } from '../../platform/abort.js';
import type { Clock } from '../../platform/clock.js';
import { capOutput } from './cap-output.js';
import { describeFailure } from './describe-failure.js';
import type { CallableTool } from './open-tools.js';
import { startProgressTicker } from './progress-ticker.js';

export interface RunToolOptions {
  callId: string;
  /** See `ToolCall`. */
  idempotencyKey: string;
  /** The turn's. */
  signal: AbortSignal;
  /** Milliseconds after which the call is told to stop and counts as failed. */
  timeoutMs: number;
  /** Most characters of output that are kept (see `capOutput`). */
  outputLimit: number;
  clock: Clock;
  /** A sign of life every five seconds while the tool runs. Must not throw. */
  progress(note: string, elapsedMs: number): void;
}

/** What a call came to. `output` is for the model and for clients. */
export interface ToolOutcome {
  status: 'success' | 'error';
  output: string;
  durationMs: number;
}

/**
 * Runs one call. Wrong input, a tool that throws and a tool that takes too long are outcomes for
 * the model. Only an abort of `signal` rejects, with the signal's reason and at once, also when the
 * tool ignores it: such a tool may still be at work, and what it did is not known.
 */
export async function runTool(
  tool: CallableTool,
  input: unknown,
  options: RunToolOptions,
): Promise<ToolOutcome> {
  const { callId, idempotencyKey, signal, timeoutMs, clock } = options;
  signal.throwIfAborted();
  const startedAt = clock.now();
  const end = (status: ToolOutcome['status'], output: string): ToolOutcome => ({
    status,
    output: capOutput(output, options.outputLimit),
    durationMs: clock.now() - startedAt,
  });

  const checked = tool.checkInput(input);
  if (!checked.ok) return end('error', `${tool.name}: input is not valid: ${checked.message}`);

  const stop = new AbortController();
  const unlink = linkAbort(signal, stop);
  const timeout = new Error(`${tool.name} timed out after ${timeoutMs} ms`);
  const cancelTimeout =
    tool.timeLimit === 'turn' ? () => undefined : clock.after(timeoutMs, () => stop.abort(timeout));
  const firstNote = `${tool.name} is running`;
  const ticker = startProgressTicker({ clock, firstNote, emit: options.progress });
  try {
    const call = { callId, idempotencyKey, signal: stop.signal, progress: ticker.note };
    return end('success', await untilAborted(tool.run(checked.input, call), stop.signal));
  } catch (error) {
    signal.throwIfAborted();
    if (!stop.signal.aborted) return end('error', describeFailure(tool.name, error));
    return end(
      'error',
      `${timeout.message} and was told to stop; it may have done part of its work`,
    );
  } finally {
    ticker.stop();
    cancelTimeout();
    unlink();
  }
}

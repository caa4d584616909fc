import { url as debuggerUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';

/** Checks without a heartbeat before the process ends: a paused process misses one. */
const CHECKS = 10;

export interface WatchdogOptions {
  /** Longest time that the event loop may be blocked, in ms. */
  stillMs: number;
  /** The last line of the log. */
  lastLine: string;
  /** Whether the last line is readable text instead of JSON. */
  readable: boolean;
  /** Called when the thread could not be started, or died: nothing watches the loop. */
  onError(error: unknown): void;
}

/**
 * Runs in a thread, as a blocked event loop runs no timer and no signal handler. The thread writes the
 * last line itself: other output of the process goes through the loop.
 */
const thread = `
  const { writeSync } = require('node:fs');
  const { workerData } = require('node:worker_threads');
  const { beats, checkMs, checks, text, readable } = workerData;
  let seen = Atomics.load(beats, 0);
  for (let still = 0; still < checks; ) {
    Atomics.wait(beats, 0, seen, checkMs);
    const now = Atomics.load(beats, 0);
    still = now === seen ? still + 1 : 0;
    seen = now;
  }
  const line = { level: 'error', time: new Date().toISOString(), msg: text };
  try {
    writeSync(2, (readable ? text : JSON.stringify(line)) + '\\n');
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
`;

/**
 * Ends this process with SIGKILL when its event loop is blocked for `stillMs`. Does nothing under a
 * debugger, which blocks it at every breakpoint.
 *
 * @returns a function that stops the watchdog.
 */
export function startWatchdog({
  stillMs,
  lastLine,
  readable,
  onError,
}: WatchdogOptions): () => Promise<void> {
  if (debuggerUrl() !== undefined) return async () => undefined;
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const checkMs = stillMs / CHECKS;
  const worker = new Worker(thread, {
    eval: true,
    env: {},
    execArgv: [],
    workerData: { beats, checkMs, checks: CHECKS, text: lastLine, readable },
  });
  worker.on('error', onError);
  worker.unref();
  const timer = setInterval(() => Atomics.add(beats, 0, 1), checkMs / 2);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await worker.terminate();
  };
}

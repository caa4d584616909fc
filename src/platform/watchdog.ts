import { url as debuggerUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';

/** Looks in which no beat came, before the process ends: a process that was paused misses one. */
const LOOKS = 10;

export interface WatchdogOptions {
  /** How long the event loop may stand still, in ms. */
  stillMs: number;
  /** A readable last line instead of a JSON one. */
  readable: boolean;
  /** The thread could not be started, or died: nobody watches. */
  onError(error: unknown): void;
}

/**
 * Runs beside the event loop, which hears nothing while it stands still: no timer, no signal. The thread
 * writes the last line itself, as all that the process writes goes through the loop.
 */
const thread = `
  const { writeSync } = require('node:fs');
  const { workerData } = require('node:worker_threads');
  const { beats, lookMs, looks, text, readable } = workerData;
  let seen = Atomics.load(beats, 0);
  for (let still = 0; still < looks; ) {
    Atomics.wait(beats, 0, seen, lookMs);
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
 * Ends this process with SIGKILL when its event loop has stood still for so long. Not under a
 * debugger, which stands still at every breakpoint.
 *
 * @returns what stops it.
 */
export function startWatchdog({
  stillMs,
  readable,
  onError,
}: WatchdogOptions): () => Promise<void> {
  if (debuggerUrl() !== undefined) return async () => undefined;
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const lookMs = stillMs / LOOKS;
  const text = `the event loop stood still for ${stillMs} ms (TURNPIKE_WATCHDOG_MS): the process is ended, and its turns go on elsewhere or at its next start`;
  const worker = new Worker(thread, {
    eval: true,
    env: {},
    execArgv: [],
    workerData: { beats, lookMs, looks: LOOKS, text, readable },
  });
  worker.on('error', onError);
  worker.unref();
  const timer = setInterval(() => Atomics.add(beats, 0, 1), lookMs / 2);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await worker.terminate();
  };
}

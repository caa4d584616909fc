/** A server that has not gone by then is not waited for any longer, in ms. */
const STOP_MS = 30_000;

/**
 * Asks a process to end, and ends it when it does not.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @param {NodeJS.Signals} signal
 * @returns {Promise<number | null>} its exit code; null when a signal ended it, or it never ran.
 */
export function stopChild(child, signal) {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) {
    return Promise.resolve(child.exitCode);
  }
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    child.once('exit', (code) => {
      clearTimeout(timer);
      resolve(code);
    });
    child.kill(signal);
  });
}

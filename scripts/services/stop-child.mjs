/** Milliseconds for an orderly exit, after which the process is killed. */
const STOP_MS = 30_000;

/**
 * Sends a signal to a process, and kills it if it does not exit.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @param {NodeJS.Signals} signal
 * @returns {Promise<number | null>} its exit code; null after a signal, or if it never ran.
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

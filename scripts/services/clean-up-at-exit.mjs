/**
 * Cleans up when this process ends unexpectedly, by an uncaught error or an unhandled signal. Only `kill -9`
 * leaves its services running.
 */
const cleanUps = new Set();
let isWatching = false;

/**
 * @param {() => void} cleanUp runs synchronously while the process exits.
 * @returns {() => void} removes it.
 */
export function cleanUpAtExit(cleanUp) {
  cleanUps.add(cleanUp);
  if (!isWatching) watch();
  isWatching = true;
  return () => cleanUps.delete(cleanUp);
}

function watch() {
  process.once('exit', () => {
    for (const cleanUp of [...cleanUps].reverse()) cleanUp();
  });
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
    ['SIGHUP', 1],
  ]) {
    // Runs first, so that the count includes listeners with `once`, which are removed when they run.
    process.prependListener(signal, () => {
      // A different listener ends this process in its own order.
      if (process.listenerCount(signal) === 1) process.exit(128 + number);
    });
  }
}

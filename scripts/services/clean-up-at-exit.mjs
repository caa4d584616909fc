/**
 * What is done when this process ends in a way nobody planned: an error nobody caught, or a signal
 * nobody handles. `kill -9` of it is the one way that leaves its services behind.
 */
const cleanUps = new Set();
let isWatching = false;

/**
 * @param {() => void} cleanUp runs while the process exits: it cannot wait for anything.
 * @returns {() => void} takes it back.
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
    // First of all: a listener that is called once is gone when the next one counts.
    process.prependListener(signal, () => {
      // Whoever else listens ends this process in its own order.
      if (process.listenerCount(signal) === 1) process.exit(128 + number);
    });
  }
}

import { explainFailure } from '../commands/explain-failure.js';

/**
 * While a turn is read: the first Ctrl-C ends it in order, and its stream says so; the second one
 * just leaves.
 *
 * @returns stops listening.
 */
export function interruptOnSignal(interrupt: () => Promise<unknown>): () => void {
  const onSignal = pressOnceOrLeave(interrupt);
  process.on('SIGINT', onSignal);
  return () => void process.off('SIGINT', onSignal);
}

/** What a Ctrl-C does, however it came. */
export function pressOnceOrLeave(
  interrupt: () => Promise<unknown>,
  leave: () => void = () => process.exit(130),
): () => void {
  let isPressed = false;
  return () => {
    if (isPressed) return leave();
    isPressed = true;
    interrupt().catch((error: unknown) => {
      process.stderr.write(`${explainFailure(error)}\n`);
    });
  };
}

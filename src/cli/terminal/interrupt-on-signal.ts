import { explainFailure } from '../render/explain-failure.js';

/**
 * Listens for Ctrl-C: the first interrupts the turn, whose stream then ends; the second ends the process.
 *
 * @returns a function that stops listening.
 */
export function interruptOnSignal(interrupt: () => Promise<unknown>): () => void {
  const onSignal = interruptOrLeave(interrupt);
  process.on('SIGINT', onSignal);
  return () => void process.off('SIGINT', onSignal);
}

/** The handler of Ctrl-C, from a signal or a key: interrupts first, leaves with 130 after. */
export function interruptOrLeave(
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

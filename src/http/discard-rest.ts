import type { IncomingMessage } from 'node:http';
import type { Clock } from '../platform/clock.js';

/** Time that a client may go on sending a discarded body, in ms. */
const LINGER_MS = 10_000;

/**
 * Discards the rest of a refused request. A connection that is closed while its client sends is reset,
 * and the client loses the response: so the client may send on for a while, and read the response
 * first. Then the request is destroyed.
 */
export function discardRest(request: IncomingMessage, clock: Clock): void {
  const { socket } = request;
  if (request.destroyed || request.readableEnded || socket.destroyed) return;
  // An error of a request that was refused is of no interest.
  request.on('error', () => undefined);
  const cancelTimer = clock.after(LINGER_MS, () => request.destroy());
  const isOver = (): void => {
    cancelTimer();
    request.off('close', isOver);
    socket.off('close', isOver);
  };
  // A request that was answered before its end emits no `close` when its connection closes.
  request.once('close', isOver);
  socket.once('close', isOver);
  request.resume();
}

import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../platform/clock.js';

/** How long a client may go on sending what is thrown away, in milliseconds. */
const LINGER_MS = 10_000;

/**
 * Throws away what is still to come of a refused request. A connection that is closed while its
 * client sends is reset, and the client loses the answer it was given: so it may send on for a
 * while, and reads the answer first. Then it is cut off.
 */
export function discardRest(request: IncomingMessage, clock: Clock): void {
  const { socket } = request;
  if (request.destroyed || request.readableEnded || socket.destroyed) return;
  // It was refused: how it ends is no news.
  request.on('error', () => undefined);
  const stopWaiting = clock.after(LINGER_MS, () => request.destroy());
  const isOver = (): void => {
    stopWaiting();
    request.off('close', isOver);
    socket.off('close', isOver);
  };
  // A request that was answered before its end does not close with its connection.
  request.once('close', isOver);
  socket.once('close', isOver);
  request.resume();
}

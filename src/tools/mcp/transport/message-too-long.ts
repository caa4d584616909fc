/** Bytes of a server's message at most; a screenshot fits. */
export const largestMessage = 8 * 1024 * 1024;

/** A server sent a message over the limit. */
export class MessageTooLongError extends Error {
  override readonly name = 'MessageTooLongError';

  constructor(most: number) {
    super(`it sent more than ${most} bytes in one message`);
  }
}

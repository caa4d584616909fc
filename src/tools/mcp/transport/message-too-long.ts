/** Most bytes of one message of a server; a screenshot fits. */
export const largestMessage = 8 * 1024 * 1024;

/** A server sent more in one message than is held for it. */
export class MessageTooLongError extends Error {
  override readonly name = 'MessageTooLongError';

  constructor(most: number) {
    super(`it sent more than ${most} bytes in one message`);
  }
}

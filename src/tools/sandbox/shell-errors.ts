/** The shell is gone, and the command with it: it ended, was killed, or never ran. */
export class ShellEndedError extends Error {
  override readonly name = 'ShellEndedError';

  /** @param output what the command had said by then. */
  constructor(
    message: string,
    readonly output: string,
  ) {
    super(message);
  }
}

/** The command took too long; its shell was killed. */
export class ShellTimeoutError extends Error {
  override readonly name = 'ShellTimeoutError';

  constructor(
    timeoutMs: number,
    readonly output: string,
  ) {
    super(`timed out after ${timeoutMs} ms`);
  }
}

/** The shell ended, was killed or did not start, and the command with it. */
export class ShellEndedError extends Error {
  override readonly name = 'ShellEndedError';

  /** @param output the command's output so far. */
  constructor(
    message: string,
    readonly output: string,
  ) {
    super(message);
  }
}

/** The command timed out, and its shell was killed. */
export class ShellTimeoutError extends Error {
  override readonly name = 'ShellTimeoutError';

  constructor(
    timeoutMs: number,
    readonly output: string,
  ) {
    super(`timed out after ${timeoutMs} ms`);
  }
}

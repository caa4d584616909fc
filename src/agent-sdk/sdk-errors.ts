import type { SDKResultMessage } from './sdk-messages.js';

/** The query was aborted by its `abortController`. Its `name` is `Error`, as that of a `ResultError`. */
export class AbortError extends Error {}

/** An option, a method or a value that this entry does not honour; the message says what to do instead. */
export class UnsupportedError extends Error {
  override readonly name = 'UnsupportedError';

  constructor(
    /** What was asked: `additionalDirectories`, `hooks.PreCompact`. */
    readonly what: string,
    advice: string,
  ) {
    super(`${what} is not supported by turnpike/agent-sdk: ${advice}`);
  }
}

/** The last turn of a query ended with an error, which its last message told. */
export class ResultError extends Error {
  constructor(readonly result: SDKResultMessage) {
    const why = result.errors?.join('; ') ?? result.result ?? '';
    super(`The turn ended with ${result.subtype}${why === '' ? '' : `: ${why}`}`);
  }
}

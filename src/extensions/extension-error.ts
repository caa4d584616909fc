import { TypedError } from '../errors/typed-error.js';

/** An extension cannot be used, which ends the start; the message names the module and the fault. */
export class ExtensionError extends Error {
  override readonly name = 'ExtensionError';

  /** @param extension as `TURNPIKE_EXTENSIONS` names it. @param fault a clause without a full stop. */
  constructor(
    readonly extension: string,
    readonly fault: string,
    cause?: unknown,
  ) {
    super(
      `TURNPIKE_EXTENSIONS: ${extension}: ${fault}. Correct it, or take it out of the list, and start again.`,
      { cause },
    );
  }
}

/** The error of a turn that an extension's fault ends; only the operator can correct it. */
export function extensionFailure(of: {
  extension: string;
  /** The part that failed, as `decision tree "x"`. */
  part: string;
  operation: string;
}): TypedError {
  const { extension, part, operation } = of;
  return new TypedError('EXTENSION_FAILURE', {
    message: `The ${part} of an extension failed (${operation}). The server's log has the error.`,
    details: { extension, part, operation },
  });
}

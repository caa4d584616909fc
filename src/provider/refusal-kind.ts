import { isPlainObject } from '../platform/json.js';
import { TypedError } from '../platform/typed-error.js';

/**
 * What a refused request needs before it may be sent again: a shorter prompt, one without the
 * thinking of earlier replies, or another content.
 */
export type RefusalKind = 'prompt-too-long' | 'thinking-bound' | 'invalid';

/**
 * Why the provider refused the content of a request; undefined for every other failure, which says
 * nothing against the content: the key, the account, the model's name, the network. Pure.
 *
 * @param thrown by a model call.
 */
export function refusalKind(thrown: unknown): RefusalKind | undefined {
  switch (providerDetails(thrown)['reason']) {
    case 'PROMPT_TOO_LONG':
      return 'prompt-too-long';
    case 'THINKING_REFUSED':
      return 'thinking-bound';
    case 'INVALID_REQUEST':
    case 'REQUEST_TOO_LARGE':
      return 'invalid';
    default:
      return undefined;
  }
}

/** The facts of an error of the provider; none of any other. */
export function providerDetails(thrown: unknown): Readonly<Record<string, unknown>> {
  if (!(thrown instanceof TypedError) || !isPlainObject(thrown.details)) return {};
  return thrown.details['provider'] === 'anthropic' ? thrown.details : {};
}

import { isPlainObject } from '../platform/json.js';
import { TypedError } from '../errors/typed-error.js';

/**
 * The remedy of a refused request: a shorter prompt, a prompt without the thinking of earlier
 * replies, or other content.
 */
export type RefusalKind = 'prompt-too-long' | 'thinking-bound' | 'invalid';

/**
 * The kind of a refusal for a request's content; undefined for failures that the content has no part
 * in: of the key, the account, the model's name, the network. Pure.
 *
 * @param thrown the error of a model call.
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

/** The details of an error of the provider; empty for any other. */
export function providerDetails(thrown: unknown): Readonly<Record<string, unknown>> {
  if (!(thrown instanceof TypedError) || !isPlainObject(thrown.details)) return {};
  return thrown.details['provider'] === 'anthropic' ? thrown.details : {};
}

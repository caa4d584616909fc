import { TypedError } from '../platform/typed-error.js';

/** Why the provider takes a request under no circumstances. */
export type RefusalKind = 'prompt-too-long' | 'thinking-bound' | 'invalid';

/** Undefined for what may pass another time, and for what is no refusal. */
export function refusalKind(error: unknown): RefusalKind | undefined {
  if (!(error instanceof TypedError) || error.type !== 'SDK_FAILURE') return undefined;
  if (error.message.includes('prompt is too long')) return 'prompt-too-long';
  if (error.message.includes('bound to a different conversation')) return 'thinking-bound';
  return error.status === 400 || error.status === 413 ? 'invalid' : undefined;
}

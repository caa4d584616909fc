import { createHash } from 'node:crypto';

const mark = 'rehearsal-';

/** The signature of a thinking block: the same text has the same one. */
export function signThinking(thinking: string): string {
  return mark + createHash('sha256').update(thinking).digest('base64');
}

/**
 * Whether a signature of ours belongs to another text: the block was changed on its way back.
 * Signatures of real models, from before the session came here, cannot be checked and pass.
 */
export function isForeignSignature(thinking: string, signature: string): boolean {
  return signature.startsWith(mark) && signature !== signThinking(thinking);
}

import { parseJson, plainNumbers } from '../../../platform/exact-json.js';
import { isPlainObject } from '../../../platform/json.js';

/** Bytes of a server's message at most; a screenshot fits. */
export const largestMessage = 8 * 1024 * 1024;

/** A server sent a message over the limit. */
export class MessageTooLongError extends Error {
  override readonly name = 'MessageTooLongError';

  constructor(most: number) {
    super(`it sent more than ${most} bytes in one message`);
  }
}

/**
 * Parses a message of a server, or a list of them. The numbers of a result's structured content are exact
 * (`exact-json.ts`); those of the protocol are plain. @throws SyntaxError.
 */
export function readMessage(text: string): unknown {
  const exact = parseJson(text);
  return Array.isArray(exact) ? exact.map(withPlainFrame) : withPlainFrame(exact);
}

function withPlainFrame(exact: unknown): unknown {
  const plain = plainNumbers(exact);
  const result = isPlainObject(exact) ? exact['result'] : undefined;
  if (plain === exact || !isPlainObject(plain) || !isPlainObject(result)) return plain;
  const { structuredContent } = result;
  if (structuredContent === undefined || !isPlainObject(plain['result'])) return plain;
  return { ...plain, result: { ...plain['result'], structuredContent } };
}

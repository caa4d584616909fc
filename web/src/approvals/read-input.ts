import { isPlainObject } from '../../../src/platform/json.js';

/** What a person wrote as a tool's input: the object, or what is wrong with it. Pure. */
export function readInput(text: string): { input: Record<string, unknown> } | { problem: string } {
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch (error) {
    return {
      problem: `This is not JSON: ${error instanceof Error ? error.message : 'unreadable'}`,
    };
  }
  if (!isPlainObject(input)) return { problem: 'The input must be a JSON object: { … }' };
  return { input };
}

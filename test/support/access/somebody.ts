import type { Answerer } from '../../../src/turn/approvals/approver-answers.js';

/** Somebody with a key, who may decide in these roles. */
export function somebody(id: string, approves: readonly string[] = []): Answerer {
  return { id, approves, credential: { kind: 'key', id: `key_${id}` } };
}

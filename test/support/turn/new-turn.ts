import type { NewTurn } from '../../../src/turn/submit/turn-submission.js';
import { someOptions } from './store-turn.js';

/** A turn as the submitter builds it to be stored. */
export function newTurn(sessionId: string, more: Partial<NewTurn> = {}): NewTurn {
  return {
    sessionId,
    principalId: 'local',
    request: { message: 'Hello', opts: undefined, attachments: [], rejectedAttachments: [] },
    requestHash: 'hash',
    idempotencyKey: undefined,
    options: someOptions,
    delegation: {
      allowed: false,
      gate: 'ENVIRONMENT',
      reason: 'off',
      evaluationMs: 0,
      allowlistedSubagents: [],
      delegatedSubagents: [],
    },
    parts: [{ type: 'text', text: 'Hello' }],
    now: new Date(),
    ...more,
  };
}

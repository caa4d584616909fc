import { notices } from '../../storage/conversation-schema.js';
import { messages, steps } from '../../storage/transcript-schema.js';
import { insertKind } from '../../storage/write-kind.js';

/** Stores a step. Part of a fenced statement. */
export const insertStep = insertKind(steps, [
  'turnId',
  'step',
  'attempt',
  'parts',
  'stopReason',
  'usage',
  'sent',
  'startedAt',
  'endedAt',
]);

/** Stores a message. Part of a fenced statement. */
export const insertMessage = insertKind(messages, [
  'id',
  'sessionId',
  'turnId',
  'role',
  'parts',
  'createdAt',
]);

/** Stores a notice. Part of a fenced statement. */
export const insertNotice = insertKind(notices, [
  'turnId',
  'mark',
  'afterStep',
  'position',
  'kind',
  'level',
  'text',
  'metadata',
  'seenByModel',
  'createdAt',
]);

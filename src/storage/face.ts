/** What wires read and write of the database beside what turns and sessions do for them. For wires. */

export { DATABASE, type Database, isStorable, type Queryable, storableText } from './connection.js';
export { violatedConstraint } from './database-errors.js';
export { approvals, steeredMessages } from './governance-schema.js';
export { compactions, sessions, turns } from './schema.js';
export { type ClientTool, efforts, type OptionProblem } from './shapes/stored-options.js';
export {
  activeStatuses,
  type StoredNamespace,
  type StoredResponsesRequest,
  unendedStatuses,
} from './shapes/stored-turn.js';
export { messages } from './transcript-schema.js';

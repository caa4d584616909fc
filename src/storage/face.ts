/** The database, as far as turns and sessions do not read and write it for wires. For wires. */

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

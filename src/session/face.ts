/** Sessions: found, opened, named, ended, and the folders that they work in. For wires and features. */

export { countSessions } from './insert-sessions.js';
export {
  findNamedSession,
  hashedSessionId,
  MAX_SESSION_NAME_CHARS,
  type NamedSessionParams,
  openNamedSession,
} from './named-session.js';
export { isListed } from './page-sessions.js';
export { getProjectPrompt, isOfProject } from './project-prompts.js';
export { projectOf, ProjectRoots } from './project-roots.js';
export { openCredentials } from './session-credentials.js';
export {
  isSessionMissing,
  sessionLimit,
  type SessionMissing,
  sessionNotFound,
} from './session-errors.js';
export { isExpired } from './session-expiry.js';
export { SessionService } from './session-service.js';
export { type NewSessionRow, type SessionRow, SessionStore } from './session-store.js';
export { sessionTitle } from './session-title.js';
export { DEFAULT_MODE, SessionTermsChecker } from './session-terms.js';
export { SessionModule } from './session.module.js';

import { AuditLog } from '../../src/access/audit-log.js';
import type { Clock } from '../../src/platform/clock.js';
import { SessionStore } from '../../src/session/session-store.js';
import type { Database } from '../../src/storage/connection.js';

/** Sessions of a test's database, with its audit log. */
export function openSessions(db: Database, clock: Clock, maxSessions = 1_000): SessionStore {
  return new SessionStore(db, clock, { maxSessions }, new AuditLog(db, clock));
}

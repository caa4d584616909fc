import { AuditLog } from '../../src/access/audit-log.js';
import { SecretVault } from '../../src/access/secret-vault.js';
import type { Clock } from '../../src/platform/clock.js';
import { SessionStore } from '../../src/session/session-store.js';
import type { Database } from '../../src/storage/connection.js';

/** A vault that stores secrets as they are. */
export function plainVault(db: Database, clock: Clock): SecretVault {
  return new SecretVault(db, clock, undefined);
}

/** Sessions of a test's database, with its audit log. */
export function openSessions(db: Database, clock: Clock, maxSessions = 1_000): SessionStore {
  return new SessionStore(
    db,
    clock,
    { maxSessions },
    new AuditLog(db, clock),
    plainVault(db, clock),
  );
}

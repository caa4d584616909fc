import type { ProjectRoots } from '../../src/session/project-roots.js';
import { SessionTermsChecker } from '../../src/session/session-terms.js';
import { ToolRegistry } from '../../src/tools/registry.js';
import { AuditLog } from '../../src/access/audit-log.js';
import { SecretVault } from '../../src/access/secrets/secret-vault.js';
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

/** What sessions may do in these folders, where none of them brings MCP servers. */
export function openTerms(roots: ProjectRoots): SessionTermsChecker {
  const mcp = {
    checkSession: (): never => {
      throw new Error('No session of this test brings MCP servers');
    },
  };
  return new SessionTermsChecker(new ToolRegistry([]), mcp, { modeCeiling: 'acceptEdits' }, roots);
}

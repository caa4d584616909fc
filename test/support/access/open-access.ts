import { Authenticator } from '../../../src/access/authenticator.js';
import { AuditLog } from '../../../src/access/audit-log.js';
import { KeyService } from '../../../src/access/key-service.js';
import { KeyStore } from '../../../src/access/key-store.js';
import { ApiKeyCache } from '../../../src/access/api-key-cache.js';
import { type AccessRules, RefusedAddresses } from '../../../src/access/origin/check-origin.js';
import { CustomAuthenticators } from '../../../src/access/custom-authenticators.js';
import type { Issuer } from '../../../src/access/tokens/auth-file.js';
import { openVerifier } from '../../../src/access/tokens/open-verifier.js';
import type { Clock } from '../../../src/platform/clock.js';
import { silentLogger } from '../silent-logger.js';
import type { Database } from '../../../src/storage/connection.js';

/** Keys of a database, as one process caches them. */
export function openKeys({ db, clock }: { db: Database; clock: Clock }) {
  const store = new KeyStore(db, clock);
  const audit = new AuditLog(db, clock);
  const keys = new ApiKeyCache(store, clock, silentLogger);
  return { store, audit, keys, keyService: new KeyService(db, clock, store, audit, keys) };
}

/** Keys of a database with the authenticator over them. */
export function openAccess(
  of: { db: Database; clock: Clock },
  settings: AccessRules,
  issuers: readonly Issuer[] = [],
) {
  const opened = openKeys(of);
  const { audit, keys } = opened;
  const refused = new RefusedAddresses();
  const { clock } = of;
  const tokens = openVerifier(issuers, { authPrivateHosts: [] }, { clock, logger: silentLogger });
  const authenticator = new Authenticator(
    keys,
    audit,
    refused,
    tokens,
    new CustomAuthenticators(tokens),
    of.clock,
    silentLogger,
    settings,
  );
  return { ...opened, authenticator };
}

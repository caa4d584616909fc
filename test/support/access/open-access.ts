import { Authenticator } from '../../../src/access/authenticator.js';
import { AuditLog } from '../../../src/access/audit-log.js';
import { KeyService } from '../../../src/access/keys/key-service.js';
import { PageTokens } from '../../../src/access/pages/page-tokens.js';
import { ServerSecrets } from '../../../src/access/pages/server-secrets.js';
import { Refusals } from '../../../src/access/refusals.js';
import { KeyStore } from '../../../src/access/keys/key-store.js';
import { AccessEnder } from '../../../src/access/people/access-ender.js';
import { TokenPeople } from '../../../src/access/credentials/token-people.js';
import { Grants } from '../../../src/access/people/grants.js';
import { SecretVault } from '../../../src/access/secrets/secret-vault.js';
import { PrincipalEpochs } from '../../../src/access/people/principal-epochs.js';
import { ApiKeyCache } from '../../../src/access/keys/api-key-cache.js';
import { type AccessRules, RefusedAddresses } from '../../../src/access/origin/check-origin.js';
import { ConsoleIssuers } from '../../../src/access/logins/console-issuers.js';
import { LoginPeople } from '../../../src/access/logins/login-people.js';
import { Logins } from '../../../src/access/logins/logins.js';
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
  const { audit, keys, store } = opened;
  const { db, clock } = of;
  const epochs = new PrincipalEpochs(db, clock);
  const tokens = openVerifier(issuers, { authPrivateHosts: [] }, { clock, logger: silentLogger });
  const grants = new Grants(db, clock, silentLogger, audit, epochs, tokens);
  const secrets = new ServerSecrets(db, clock, new SecretVault(db, clock, undefined));
  const logins = new Logins(db, clock, silentLogger, secrets, epochs, audit);
  const console = new ConsoleIssuers();
  const custom = new CustomAuthenticators(tokens);
  const pages = new PageTokens(secrets, keys, epochs, custom, audit, db, clock);
  const authenticator = new Authenticator(
    keys,
    new Refusals(audit, new RefusedAddresses(), console, custom, silentLogger),
    new TokenPeople(tokens, grants, epochs),
    custom,
    pages,
    new LoginPeople(logins, console, tokens),
    clock,
    settings,
  );
  const ender = new AccessEnder(db, epochs, store, keys, grants, logins, audit, clock);
  return { ...opened, authenticator, grants, epochs, ender, pages };
}

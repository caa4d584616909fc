import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import type { Database } from '../../storage/connection.js';
import { AuditLog } from '../keys/audit-log.js';
import { Authenticator } from '../authenticator.js';
import { KeyService } from '../keys/key-service.js';
import { KeyStore } from '../keys/key-store.js';
import { KnownKeys } from '../keys/known-keys.js';
import { Owners } from '../ownership/owners.js';
import type { ResolvedLimits } from '../ownership/principal.js';
import { RefusedAddresses } from './refused-addresses.js';

export interface AccessSettings {
  host: string;
  allowKeyless: boolean;
  takesFirstKey: boolean;
  corsOrigins: readonly string[];
  /** Limits of who has none of its own. */
  limits: ResolvedLimits;
}

/** What requests are admitted with. One object a process. */
export interface AccessServices {
  store: KeyStore;
  keys: KnownKeys;
  keyService: KeyService;
  authenticator: Authenticator;
  owners: Owners;
  audit: AuditLog;
}

export function openAccess(
  { db, clock, logger }: { db: Database; clock: Clock; logger: Logger },
  settings: AccessSettings,
): AccessServices {
  const store = new KeyStore(db, clock);
  const audit = new AuditLog(db, clock);
  const keys = new KnownKeys({ store, clock, logger });
  const refused = new RefusedAddresses();
  const { limits: defaultLimits, ...rules } = settings;
  return {
    store,
    keys,
    keyService: new KeyService({ db, store, audit, clock, onChange: () => keys.forget() }),
    authenticator: new Authenticator({
      keys,
      audit,
      refused,
      clock,
      logger,
      defaultLimits,
      ...rules,
    }),
    owners: new Owners(db),
    audit,
  };
}

import type { Config } from '../../config/config.js';
import type { StoredData } from '../../server/open-stored-data.js';
import { clientOf } from '../server/find-server.js';
import { locateStore } from './locate-store.js';

type Environment = Record<string, string | undefined>;

/** The actor in the audit log. */
const AUDIT_ACTOR = 'command-line';

/**
 * Opens what is stored, where `locateStore` finds it: a server does its part itself, since an embedded database
 * has one owner and a server may be on another machine.
 *
 * @param mayCreate whether a missing data folder is created.
 * @throws UsageError, ConfigError, NoServerError; what a server's start throws.
 */
export async function openData(
  environment: Environment,
  { url, mayCreate }: { url: string | undefined; mayCreate: boolean },
): Promise<StoredData> {
  const found = await locateStore(environment, { url, mayCreate });
  return found.type === 'server' ? atServer(found) : inStore(found.config, environment);
}

function atServer(server: { url: string; key: string | undefined }): StoredData {
  const { data } = clientOf(server);
  return {
    export: (selection) => data.export(selection),
    import: (bytes, options) => data.import(ReadableStream.from(bytes), options),
    count: (principal) => data.count(principal),
    forget: (principal, options) => data.forget(principal, options),
    close: async () => undefined,
  };
}

async function inStore(config: Config, environment: Environment): Promise<StoredData> {
  // Loaded when needed alone: the server's code takes a second to load.
  const { openStoredData } = await import('../../server/open-stored-data.js');
  return openStoredData({ config, environment, by: AUDIT_ACTOR });
}

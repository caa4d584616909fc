import { readFile } from 'node:fs/promises';
import type { Config } from '../../config/config.js';
import { servesApi } from '../../config/role.js';
import { FileInvalidError } from '../../platform/parsing/load-file.js';
import { readWritten } from '../../platform/text/written-text.js';
import { errorCode } from '../../platform/error-code.js';
import type { Clock } from '../../platform/clock.js';
import type { PublicFetch } from '../../platform/net/public-fetch.js';
import type { Issuer } from '../tokens/auth-file.js';
import { ProviderClient, type ConsoleIssuer } from './provider-client.js';

/** An identity provider that people log in with, and the console as its client. */
export interface ConsoleProvider {
  issuer: ConsoleIssuer;
  client: ProviderClient;
}

/** The identity providers that people log in to the console with. */
export class ConsoleIssuers {
  readonly #providers: ReadonlyMap<string, ConsoleProvider>;

  constructor(providers: readonly ConsoleProvider[] = []) {
    this.#providers = new Map(providers.map((provider) => [provider.issuer.name, provider]));
  }

  /** In the order of the file. */
  get names(): readonly string[] {
    return [...this.#providers.keys()];
  }

  find(name: string): ConsoleProvider | undefined {
    return this.#providers.get(name);
  }
}

/** Reads the secrets of the clients; none where this process serves no console. @throws FileInvalidError. */
export async function openConsoleIssuers(
  issuers: readonly Issuer[],
  config: Pick<Config, 'console' | 'role'>,
  options: { fetch: PublicFetch; clock: Clock },
): Promise<ConsoleIssuers> {
  if (!config.console || !servesApi(config.role)) return new ConsoleIssuers();
  const providers = issuers.filter(hasConsole).map(async (issuer) => {
    const { clientSecretFile: file } = issuer.console;
    const secret = file === undefined ? undefined : await readSecret(file);
    return { issuer, client: new ProviderClient(issuer, secret, options) };
  });
  return new ConsoleIssuers(await Promise.all(providers));
}

function hasConsole(issuer: Issuer): issuer is ConsoleIssuer {
  return issuer.console !== undefined;
}

async function readSecret(file: string): Promise<string> {
  const fail = (message: string) => new FileInvalidError('client_secret_file', file, [{ message }]);
  const bytes = await readFile(file).catch((error: unknown) => {
    throw fail(
      `the file cannot be read (${errorCode(error) ?? 'unknown'}); check its path and permissions`,
    );
  });
  const written = readWritten(bytes);
  if ('fault' in written) throw fail(`the file ${written.fault}; save it as UTF-8`);
  const secret = written.text.trim();
  if (secret === '') throw fail('the file is empty');
  return secret;
}

import type { Config } from '../config/config.js';
import type { ProfileName } from './anthropic/request-profile.js';
import type { OpenCloud } from './anthropic/messages-client.js';

export type ProviderMode = 'anthropic' | 'rehearsal';

/** The address, credentials and limits of the provider, as the configuration has them. Constant while the process runs. */
export interface ProviderConfig
  extends
    Pick<Config, 'apiKey' | 'egressAllow' | 'stallTimeoutMs' | 'requestTimeoutMs'>,
    Partial<Pick<Config, 'secrets' | 'egressPrivateHosts'>> {
  mode: ProviderMode;
  /**
   * The address of the API. In mode `rehearsal` the loopback server, `http://127.0.0.1:<port>`; in
   * mode `anthropic` `https://api.anthropic.com`, or a gateway that `egressAllow` lists. Trailing
   * slashes and `/v1/messages` are dropped; only a gateway keeps a path prefix.
   */
  baseUrl: string;
  /** The part of the wire that may be used. Absent, and in rehearsal: all of it. */
  profile?: ProfileName;
  /** Retries of a failed call before its stream begins. */
  maxRetries: number;
  /** The address of the profile's cloud. Absent: the profile's only one. */
  ownUrl?: string;
  /** The client and the credentials of the profile's cloud. Absent: it is no cloud's. */
  cloud?: OpenCloud;
  /** Sends the requests. Absent: a `fetch` that reaches public addresses only. */
  fetch?: typeof fetch;
}

export interface ProviderChoice {
  requested: 'auto' | ProviderMode;
  apiKey: string | undefined;
  production: boolean;
  /** Default: `anthropic`. */
  profile?: ProfileName;
  /** Whether other makers are listed. Default: no. */
  hasMakers?: boolean;
}

/**
 * The key that the server of a profile is sent. A key of Anthropic's goes to Anthropic, or to a gateway that stands for
 * it, and to no other server; the clouds have keys of their own (`openCloud`).
 */
export function keyOf({
  apiKey,
  providerKey,
  providerProfile: profile,
}: Pick<Config, 'apiKey' | 'providerKey' | 'providerProfile'>): string | undefined {
  const isForClaude = profile === 'anthropic' || profile === 'compatible';
  return providerKey ?? (isForClaude ? apiKey : undefined);
}

/**
 * The mode of a process. `auto` is the rehearsal only where nothing but Anthropic is configured, without a key and not in production, where a
 * missing key stays an error instead of a rehearsed answer.
 */
export function chooseProviderMode(choice: ProviderChoice): ProviderMode {
  if (choice.requested !== 'auto') return choice.requested;
  const isNamed = choice.profile !== undefined && choice.profile !== 'anthropic';
  if (isNamed || choice.hasMakers === true) return 'anthropic';
  return choice.apiKey === undefined && !choice.production ? 'rehearsal' : 'anthropic';
}

/** Injects the `ProviderMode` of the process. */
export const PROVIDER_MODE = Symbol('ProviderMode');

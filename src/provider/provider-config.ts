import type { ProfileName } from './anthropic/request-profile.js';

export type ProviderMode = 'anthropic' | 'rehearsal';

/** The address, credentials and limits of the provider. Constant while the process runs. */
export interface ProviderConfig {
  mode: ProviderMode;
  /** Undefined: every turn is refused with 503 `MISSING_API_KEY`. Not used in rehearsal. */
  apiKey: string | undefined;
  /** Secrets besides the key that errors leave out. */
  secrets?: readonly string[];
  /**
   * The address of the API. In mode `rehearsal` the loopback server, `http://127.0.0.1:<port>`; in
   * mode `anthropic` `https://api.anthropic.com`, or a gateway that `egressAllow` lists. Trailing
   * slashes and `/v1/messages` are dropped; only a gateway keeps a path prefix.
   */
  baseUrl: string;
  /**
   * The only origins that requests may go to, `https://host[:port]` or a loopback
   * `http://host[:port]`. Empty: `https://api.anthropic.com` on port 443 alone.
   */
  egressAllow: readonly string[];
  /** Hosts that may be at addresses that are not public. Absent: none but loopback by its name. */
  egressPrivateHosts?: readonly string[];
  /** The `anthropic-version` header. Absent: the profile's. */
  apiVersion?: string;
  /** The part of the wire that may be used. Absent, and in rehearsal: all of it. */
  profile?: ProfileName;
  /** Longest time between two chunks of a stream, pings included, in ms. */
  stallTimeoutMs: number;
  /** Longest time of one try from connecting to the status of its answer, in ms. */
  requestTimeoutMs: number;
  /** Retries of a failed call before its stream begins. */
  maxRetries: number;
  /** Sends the requests. Absent: a `fetch` that reaches public addresses only. */
  fetch?: typeof fetch;
}

export interface ProviderChoice {
  requested: 'auto' | ProviderMode;
  apiKey: string | undefined;
  production: boolean;
}

/**
 * The mode of a process. `auto` is the rehearsal only without a key and not in production, where a
 * missing key stays an error instead of a rehearsed answer.
 */
export function chooseProviderMode(choice: ProviderChoice): ProviderMode {
  if (choice.requested !== 'auto') return choice.requested;
  return choice.apiKey === undefined && !choice.production ? 'rehearsal' : 'anthropic';
}

/** Injects the `ProviderMode` of the process. */
export const PROVIDER_MODE = Symbol('ProviderMode');

import type { ProfileName } from './request-profile.js';

export type ProviderMode = 'anthropic' | 'rehearsal';

/** How the model is reached. Read once at start: a new key or address needs a restart. */
export interface ProviderConfig {
  mode: ProviderMode;
  /** Undefined: every turn is refused with 503 `MISSING_API_KEY`. Not used in rehearsal. */
  apiKey: string | undefined;
  /** What errors do not repeat, beside the key. */
  secrets?: readonly string[];
  /**
   * In mode `rehearsal` the loopback server, `http://127.0.0.1:<port>`. In mode `anthropic`
   * `https://api.anthropic.com`, or the gateway that `egressAllow` names. Trailing slashes and
   * `/v1/messages` are dropped; of what is left only a gateway keeps its path prefix.
   */
  baseUrl: string;
  /**
   * The only origins the model may be reached at, `https://host[:port]` or a loopback
   * `http://host[:port]`. Empty: `https://api.anthropic.com` on port 443 alone.
   */
  egressAllow: readonly string[];
  /** Hosts that may be at addresses that are not public. Absent: none, but loopback by its name. */
  egressPrivateHosts?: readonly string[];
  /** The `anthropic-version` header. Absent: the profile's. */
  apiVersion?: string;
  /** What may be sent. Absent, and in rehearsal: the API's own wire. */
  profile?: ProfileName;
  /** Most milliseconds between two pieces of a stream, pings included. */
  stallTimeoutMs: number;
  /** Most milliseconds one try may take to connect and to answer with a status. */
  requestTimeoutMs: number;
  /** More tries after a failure that may pass, only before the stream begins. 0: none. */
  maxRetries: number;
}

export interface ProviderChoice {
  requested: 'auto' | ProviderMode;
  apiKey: string | undefined;
  production: boolean;
}

/**
 * `auto` rehearses only where a real model was clearly not meant: no key, not in production. In
 * production a missing key stays an error instead of a deterministic answer nobody asked for.
 */
export function chooseProviderMode(choice: ProviderChoice): ProviderMode {
  if (choice.requested !== 'auto') return choice.requested;
  return choice.apiKey === undefined && !choice.production ? 'rehearsal' : 'anthropic';
}

/** Injects the `ProviderMode` of the process. */
export const PROVIDER_MODE = Symbol('ProviderMode');

import { TurnpikeError } from './client-errors.js';
import type { ClientClock } from './receive-frames.js';

/** A token is renewed when this much of its life is left, or less of a short one. */
const EARLY_MS = 30_000;

/** Most characters of a backend's refusal that an error has. */
const MAX_SHOWN_CHARS = 300;

/** A token, or the response of a backend whose body is one; undefined: nobody is logged in. */
export type GivenToken = string | Response | undefined;

interface Held {
  token: string;
  /** When the next one is asked for, in ms since the epoch; undefined: when the server refuses this one. */
  renewAt: number | undefined;
}

/** Tokens of the application, each used until shortly before its end. */
export class TokenSource {
  #held: Promise<Held> | undefined;
  /** The one that came last. */
  #token: string | undefined;

  constructor(
    private readonly ask: () => GivenToken | Promise<GivenToken>,
    private readonly clock: ClientClock,
  ) {}

  /** The token of now. Calls that come together share one request. @throws what the application throws. */
  async current(): Promise<string> {
    const held = await (this.#held ??= this.#load());
    if (held.renewAt !== undefined && this.clock.now() >= held.renewAt) this.drop(held.token);
    return (await (this.#held ??= this.#load())).token;
  }

  /** The server refused a token, or it ends: the next one is asked for. */
  drop(token: string): void {
    if (token === this.#token) this.#held = undefined;
  }

  #load(): Promise<Held> {
    const loading = this.#ask().then((token) => {
      this.#token = token;
      const leftMs = (endOf(token) ?? Number.NaN) - this.clock.now();
      const isKnown = Number.isFinite(leftMs);
      const renewAt = isKnown
        ? this.clock.now() + leftMs - Math.min(EARLY_MS, leftMs / 4)
        : undefined;
      return { token, renewAt };
    });
    loading.catch(() => {
      if (this.#held === loading) this.#held = undefined;
    });
    return loading;
  }

  /** @throws what the application throws; TurnpikeError where its backend refuses, or there is no token. */
  async #ask(): Promise<string> {
    const given = await this.ask();
    const isAnswer = given instanceof Response;
    const token = isAnswer ? (await given.text()).trim() : (given ?? '');
    if (isAnswer && !given.ok) throw noToken(given.status, token.slice(0, MAX_SHOWN_CHARS));
    if (/^[\w.~+/=-]+$/.test(token)) return token;
    throw noToken(401, 'nobody is logged in, or the text is no token');
  }
}

/** @param why the words of the application's backend, where it refused. */
function noToken(status: number, why: string): TurnpikeError {
  const retryable = status >= 500 || status === 429;
  const message = `The application gave no token for the server (${status}): ${why}`;
  return new TurnpikeError('NO_TOKEN', { status, message, retryable });
}

/** The end that a page token or a JWT says, in ms since the epoch; undefined: it says none. Pure. */
function endOf(token: string): number | undefined {
  const payload = token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/');
  try {
    const claims = JSON.parse(atob(payload ?? '')) as { expiresAt?: unknown; exp?: unknown } | null;
    if (typeof claims?.expiresAt === 'number') return claims.expiresAt;
    return typeof claims?.exp === 'number' ? claims.exp * 1_000 : undefined;
  } catch {
    // It is of another kind, which only its server reads.
    return undefined;
  }
}

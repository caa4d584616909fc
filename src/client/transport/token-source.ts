import type { ClientClock } from './receive-frames.js';

/** A token is renewed when this much of its life is left, or less of a short one. */
const EARLY_MS = 30_000;

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
    private readonly ask: () => Promise<string>,
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
    const loading = this.ask().then((token) => {
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

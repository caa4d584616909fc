import type { Clock } from '../../platform/clock.js';
import type { VersionNegotiationMode } from '@modelcontextprotocol/client';
import type { ProtocolChoice } from './definitions.js';

/** The era of a server's protocol, remembered between its connections. */
export interface EraVerdict {
  isLegacy(): boolean;
  note(isLegacy: boolean): void;
}

/** How long a server is taken for one of the protocol before 2026-07-28, in ms. */
const LEGACY_MS = 86_400_000;
const MAX_VERDICTS = 1_000;

/** What turns find of servers, by a key for each with its credentials. */
export class EraVerdicts {
  /** When servers of the protocol before 2026-07-28 are asked for their versions again, by key; the newest last. */
  readonly #legacyUntil = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  of(key: string): EraVerdict {
    return {
      isLegacy: () => (this.#legacyUntil.get(key) ?? 0) > this.clock.now(),
      note: (isLegacy) => {
        this.#legacyUntil.delete(key);
        if (!isLegacy) return;
        this.#legacyUntil.set(key, this.clock.now() + LEGACY_MS);
        const [oldest] = this.#legacyUntil.keys();
        if (this.#legacyUntil.size > MAX_VERDICTS && oldest !== undefined) {
          this.#legacyUntil.delete(oldest);
        }
      },
    };
  }
}

/** The ways to connect, in order. */
export function attemptsOf(
  protocol: ProtocolChoice,
  isLegacy: boolean,
): [VersionNegotiationMode, VersionNegotiationMode?] {
  if (protocol === 'legacy') return ['legacy'];
  if (protocol !== 'auto') return [{ pin: protocol }];
  return isLegacy ? ['legacy', 'auto'] : ['auto', 'legacy'];
}

import type { Config } from '../../config/config.js';
import type { SessionRow } from '../../session/session-store.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { PastTurn } from './past-turn.js';

const BYTES_PER_MB = 2 ** 20;

/** The most memory of a character, in bytes: two in the conversation and two in its JSON. Latin texts take half. */
const BYTES_PER_CHARACTER = 4;

/** The conversation of a session up to the turn that began last. */
export interface Conversation {
  headTurnId: string;
  headBeganAt: Date;
  /** The turns, oldest first; the last of them is the head. */
  turns: readonly PastTurn[];
}

interface Remembered extends Conversation {
  bytes: number;
}

/**
 * The conversations of the sessions whose turns this worker ran last: the next turn of such a session loads nothing. A
 * conversation is used only if its last turn is the session's head, which comes with the claim: then it is the same as
 * in the database. The conversation that was used longest ago is forgotten first.
 */
export class ConversationCache {
  /** The one used longest ago first. */
  readonly #bySession = new Map<string, Remembered>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(
    { conversationCacheMb }: Pick<Config, 'conversationCacheMb'>,
    private readonly metrics: Pick<Metrics, 'conversationCache' | 'conversationCacheBytes'>,
  ) {
    this.#maxBytes = conversationCacheMb * BYTES_PER_MB;
  }

  /**
   * Removes and returns the turns of a session, oldest first; undefined if they are not remembered, or have changed.
   */
  take({ id, headTurnId, updatedAt }: SessionRow): readonly PastTurn[] | undefined {
    const found = this.#bySession.get(id);
    this.#forget(id);
    const isCurrent =
      found?.headTurnId === headTurnId && found?.headBeganAt.getTime() === updatedAt.getTime();
    this.metrics.conversationCache.inc({ outcome: isCurrent ? 'hit' : 'miss' });
    return isCurrent ? found?.turns : undefined;
  }

  remember(sessionId: string, conversation: Conversation): void {
    const bytes = conversation.turns.reduce((sum, turn) => sum + sizeOf(turn), 0);
    this.#forget(sessionId);
    if (bytes > this.#maxBytes) return;
    this.#bySession.set(sessionId, { ...conversation, bytes });
    this.#count(bytes);
    for (const oldest of this.#bySession.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#forget(oldest);
    }
  }

  #forget(sessionId: string): void {
    this.#count(-(this.#bySession.get(sessionId)?.bytes ?? 0));
    this.#bySession.delete(sessionId);
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.metrics.conversationCacheBytes.set(this.#bytes);
  }
}

const sizes = new WeakMap<PastTurn, number>();

/** Estimates the memory of a remembered turn, in bytes. */
function sizeOf(turn: PastTurn): number {
  const known = sizes.get(turn);
  if (known !== undefined) return known;
  const size = JSON.stringify(turn).length * BYTES_PER_CHARACTER;
  sizes.set(turn, size);
  return size;
}

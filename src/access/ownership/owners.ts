import { Inject, Injectable } from '@nestjs/common';
import { eq, type SQL } from 'drizzle-orm';
import { isId } from '../../platform/ids.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { approvals } from '../../storage/governance-schema.js';
import { sessions, turns } from '../../storage/schema.js';

/** What a route can name by an id. What is in a session is its principal's. */
export const ownedKinds = ['session', 'turn', 'approval'] as const;
export type OwnedKind = (typeof ownedKinds)[number];

const prefixes: Record<OwnedKind, string> = { session: 'sess', turn: 'turn', approval: 'appr' };

/** Owners that are remembered. */
const MOST_KNOWN = 20_000;

/**
 * Whose a thing is. That never changes, so it is read once; of what was deleted meanwhile the route
 * itself says that there is no such thing.
 */
@Injectable()
export class Owners {
  readonly #known = new Map<string, string>();

  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** @returns undefined for text that is no id of the kind, and for the id of none. */
  async find(kind: OwnedKind, id: string): Promise<string | undefined> {
    const known = this.#known.get(id);
    if (known !== undefined && isId(prefixes[kind], id)) return known;
    if (!isId(prefixes[kind], id)) return undefined;
    const owner = await this.#read(kind, id);
    if (owner !== undefined) this.#remember(id, owner);
    return owner;
  }

  async #read(kind: OwnedKind, id: string): Promise<string | undefined> {
    switch (kind) {
      case 'session':
        return first(await this.#sessions(eq(sessions.id, id)));
      case 'turn': {
        const ofTurn = this.db.select({ id: turns.sessionId }).from(turns).where(eq(turns.id, id));
        return first(await this.#sessions(eq(sessions.id, ofTurn)));
      }
      case 'approval': {
        const ofApproval = this.db
          .select({ id: approvals.sessionId })
          .from(approvals)
          .where(eq(approvals.id, id));
        return first(await this.#sessions(eq(sessions.id, ofApproval)));
      }
    }
  }

  #sessions(which: SQL): Promise<{ owner: string }[]> {
    return this.db.select({ owner: sessions.principalId }).from(sessions).where(which);
  }

  #remember(id: string, owner: string): void {
    this.#known.set(id, owner);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }
}

function first(found: { owner: string }[]): string | undefined {
  return found[0]?.owner;
}

import { Inject, Injectable } from '@nestjs/common';
import { eq, type SQL } from 'drizzle-orm';
import { isId } from '../../platform/ids.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { approvals } from '../../storage/governance-schema.js';
import { sessions, turns } from '../../storage/schema.js';
import { webhookEndpoints } from '../../storage/automation-schema.js';
import { isPlainObject } from '../../platform/json.js';

/** Objects that a route can name by an id. The session's principal owns all objects in it; webhooks are in none. */
export const ownedKinds = ['session', 'turn', 'approval', 'webhook'] as const;
export type OwnedKind = (typeof ownedKinds)[number];

const prefixes: Record<OwnedKind, string> = {
  session: 'sess',
  turn: 'turn',
  approval: 'appr',
  webhook: 'hook',
};

/** Most cached owners. */
const MAX_CACHED = 20_000;

/**
 * Finds the owner of an object. Owners never change, so they are cached; for an object deleted
 * since, the route itself answers `not found`.
 */
@Injectable()
export class Owners {
  readonly #known = new Map<string, string>();

  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** @returns undefined for text that is no id of the kind, and for an unknown id. */
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
      case 'webhook': {
        const { id: endpointId, principalId: owner } = webhookEndpoints;
        return first(
          await this.db.select({ owner }).from(webhookEndpoints).where(eq(endpointId, id)),
        );
      }
    }
  }

  #sessions(which: SQL): Promise<{ owner: string }[]> {
    return this.db.select({ owner: sessions.principalId }).from(sessions).where(which);
  }

  #remember(id: string, owner: string): void {
    this.#known.set(id, owner);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_CACHED && oldest !== undefined) this.#known.delete(oldest);
  }
}

function first(found: { owner: string }[]): string | undefined {
  return found[0]?.owner;
}

/** The field of a request with an id: `params.id`, `body.sessionId`, `query.sessionId`. */
export type IdField = `${'params' | 'body' | 'query'}.${string}`;

type Parts = { params?: unknown; body?: unknown; query?: unknown };

/**
 * The id in a field of a request, trimmed where the field is in a body, as routes do. Undefined
 * where the field is no text: the route itself refuses that. Pure.
 */
export function idAt(request: Parts, field: IdField): string | undefined {
  const dot = field.indexOf('.');
  const part = field.slice(0, dot) as keyof Parts;
  const holder = request[part];
  const value = isRecord(holder) ? holder[field.slice(dot + 1)] : undefined;
  if (typeof value !== 'string') return undefined;
  return part === 'body' ? value.trim() : value;
}

/** The router's own objects have other prototypes than plain ones. */
function isRecord(value: unknown): value is Record<string, unknown> {
  return isPlainObject(value) || (typeof value === 'object' && value !== null);
}

/** A route handler, and whether its ownership is declared. */
export interface RouteFound {
  /** Controller and method: `TurnController.postTurn`. */
  name: string;
  isDeclared: boolean;
}

/** Checks that every route declares its ownership. @throws Error that names the others. Pure. */
export function checkRoutes(routes: readonly RouteFound[]): void {
  const forgotten = routes.filter(({ isDeclared }) => !isDeclared).map(({ name }) => name);
  if (forgotten.length === 0) return;
  throw new Error(
    `These routes do not declare their ownership: ${forgotten.join(', ')}. Give each @Owned({ session: 'params.id' }), @Unowned('why') or @Open('why') of src/access/owned.decorator.ts.`,
  );
}

import { Inject, Injectable } from '@nestjs/common';
import { eq, type SQL } from 'drizzle-orm';
import { isId } from '../../platform/ids.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { approvals } from '../../storage/governance-schema.js';
import { mcpLogins } from '../../storage/mcp-schema.js';
import { sessions, turns } from '../../storage/schema.js';
import { webhookEndpoints } from '../../storage/automation-schema.js';
import type { Principal } from '../principal.js';
import { compact } from '../../platform/compact.js';
import { isPlainObject } from '../../platform/json.js';

/**
 * Objects that a route can name by an id. The session's principal owns all objects in it; webhooks and log-ins at MCP servers are in none. An
 * `awaited` object is an approval, for those whom it awaits.
 */
export const ownedKinds = [
  'session',
  'turn',
  'approval',
  'awaited',
  'webhook',
  'mcpLogin',
] as const;
export type OwnedKind = (typeof ownedKinds)[number];

const prefixes: Record<OwnedKind, string> = {
  session: 'sess',
  turn: 'turn',
  approval: 'appr',
  awaited: 'appr',
  webhook: 'hook',
  mcpLogin: 'mcpl',
};

/** Most cached objects. */
const MAX_CACHED = 20_000;

/** Where an object belongs. */
export interface Place {
  principalId: string;
  /** Its session; of what is a subagent's, that of the turn which started all. Absent: it is in none. */
  sessionId?: string;
  /** Roles whose people decide about it. Absent: its owner does. */
  approvers?: readonly string[];
}

/**
 * Finds where an object belongs. That never changes, so it is cached; for an object deleted since, the route itself
 * answers `not found`.
 */
@Injectable()
export class Owners {
  readonly #known = new Map<string, Place>();

  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** The owner. @returns undefined for text that is no id of the kind, and for an unknown id. */
  async find(kind: OwnedKind, id: string): Promise<string | undefined> {
    return (await this.placeOf(kind, id))?.principalId;
  }

  /** @returns undefined for text that is no id of the kind, and for an unknown id. */
  async placeOf(kind: OwnedKind, id: string): Promise<Place | undefined> {
    const known = this.#known.get(id);
    if (known !== undefined && isId(prefixes[kind], id)) return known;
    if (!isId(prefixes[kind], id)) return undefined;
    const place = await this.#read(kind, id);
    if (place !== undefined) this.#remember(id, place);
    return place;
  }

  async #read(kind: OwnedKind, id: string): Promise<Place | undefined> {
    switch (kind) {
      case 'session':
        return this.#session(eq(sessions.id, id));
      case 'turn': {
        const ofTurn = this.db.select({ id: turns.sessionId }).from(turns).where(eq(turns.id, id));
        return this.#session(eq(sessions.id, ofTurn));
      }
      case 'approval':
      case 'awaited': {
        const { sessionId, awaits } = approvals;
        const [approval] = await this.db
          .select({ sessionId, awaits })
          .from(approvals)
          .where(eq(approvals.id, id));
        const place = approval && (await this.#session(eq(sessions.id, approval.sessionId)));
        const approvers = approval?.awaits?.flatMap(({ by }) => by);
        return place && { ...place, ...compact({ approvers }) };
      }
      case 'webhook': {
        const { id: endpointId, principalId } = webhookEndpoints;
        const [found] = await this.db
          .select({ principalId })
          .from(webhookEndpoints)
          .where(eq(endpointId, id));
        return found;
      }
      case 'mcpLogin': {
        const { id: loginId, principalId } = mcpLogins;
        const [found] = await this.db
          .select({ principalId })
          .from(mcpLogins)
          .where(eq(loginId, id));
        return found;
      }
    }
  }

  async #session(which: SQL): Promise<Place | undefined> {
    const { id: sessionId, principalId, parentTurnId } = sessions;
    const [found] = await this.db
      .select({ sessionId, principalId, parentTurnId })
      .from(sessions)
      .where(which);
    if (found === undefined) return undefined;
    if (found.parentTurnId !== null) return this.placeOf('turn', found.parentTurnId);
    return { principalId: found.principalId, sessionId: found.sessionId };
  }

  #remember(id: string, place: Place): void {
    this.#known.set(id, place);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_CACHED && oldest !== undefined) this.#known.delete(oldest);
  }
}

/** Whether a caller may name an object: its owner may, and an awaited one those who decide about it. Pure. */
export function mayName(
  { id, approves }: Pick<Principal, 'id' | 'approves'>,
  kind: OwnedKind,
  place: Place | undefined,
): boolean {
  if (place === undefined) return false;
  if (place.principalId === id) return true;
  return kind === 'awaited' && place.approvers?.some((role) => approves.includes(role)) === true;
}

/** The field of a request with an id: `params.id`, `body.sessionId`, `query.sessionId`. */
export type IdField = `${'params' | 'body' | 'query'}.${string}`;

type Parts = { params?: unknown; body?: unknown; query?: unknown };

/**
 * The id in a field of a request, trimmed where the field is in a body, as routes do. Undefined
 * where the field is no text: the route itself refuses that. Pure.
 */
export function idAt(request: Parts, field: IdField): string | undefined {
  const value = textAt(request, field);
  return field.startsWith('body.') ? value?.trim() : value;
}

/** The text in a field of a request, as it is; undefined where the field is no text. Pure. */
export function textAt(request: Parts, field: IdField): string | undefined {
  const dot = field.indexOf('.');
  const part = field.slice(0, dot) as keyof Parts;
  const holder = request[part];
  const value = isRecord(holder) ? holder[field.slice(dot + 1)] : undefined;
  return typeof value === 'string' ? value : undefined;
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

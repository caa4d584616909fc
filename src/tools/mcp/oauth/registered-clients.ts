import { hash } from 'node:crypto';
import { and, eq, inArray } from 'drizzle-orm';
import { SERVER, type SecretPlace } from '../../../access/secrets/secret-columns.js';
import type { SecretVault } from '../../../access/secrets/secret-vault.js';
import type { Clock } from '../../../platform/clock.js';
import type { Database, Queryable } from '../../../storage/connection.js';
import { mcpClients } from '../../../storage/mcp-schema.js';
import { clientShape, storedClientShape, type StoredClient } from './login-secret.js';

/** Time for which a doubt counts, in ms; the most of one principal, and of all. */
const DOUBT_MS = 3_600_000;
const MAX_OWN_DOUBTS = 2;
const MAX_DOUBTS = 6;

export interface RegisteredClient {
  place: SecretPlace;
  issuer: string;
  client: StoredClient;
  createdAt: Date;
  /** The client as it is stored: a change counts where nobody was first. */
  sealed: string;
}

export interface RegisteredClientDeps {
  db: Database;
  clock: Clock;
  vault: SecretVault;
}

/** The place of the client that an authorization server has for some redirects. */
export function placeOf(issuer: string, redirects: readonly string[]): SecretPlace {
  return placeAt(hash('sha256', JSON.stringify([issuer, ...redirects]), 'hex'));
}

function placeAt(row: string): SecretPlace {
  return { column: mcpClients.client, row, principalId: SERVER };
}

/** The answer of a registration endpoint as a client. @throws where it is none. */
export function parseClient(answer: unknown): StoredClient {
  const { client_secret_expires_at: endsAt, ...client } = storedClientShape.parse(answer);
  return {
    ...clientShape.parse(client),
    ...(endsAt !== undefined && { client_secret_expires_at: endsAt }),
  };
}

export async function loadClient(
  deps: RegisteredClientDeps,
  place: SecretPlace,
): Promise<RegisteredClient | undefined> {
  const [row] = await deps.db.select().from(mcpClients).where(eq(mcpClients.id, place.row));
  return row && openRow(deps, row);
}

/** The deployment's client of an issuer with an id; undefined: it has none, as of a client that was given by hand. */
export async function findClient(
  deps: RegisteredClientDeps,
  issuer: string,
  clientId: string,
): Promise<RegisteredClient | undefined> {
  const rows = await deps.db.select().from(mcpClients).where(eq(mcpClients.issuer, issuer));
  const all = await Promise.all(rows.map((row) => openRow(deps, row)));
  return all.find(({ client }) => client.client_id === clientId);
}

async function openRow(
  { vault }: RegisteredClientDeps,
  { id, issuer, client: sealed, createdAt }: typeof mcpClients.$inferSelect,
): Promise<RegisteredClient> {
  const place = placeAt(id);
  const client = storedClientShape.parse(JSON.parse(await vault.open(sealed, place)));
  return { place, issuer, client, createdAt, sealed };
}

/** Stores a new client, unless there is one by now. */
export async function insertClient(
  { db, clock, vault }: RegisteredClientDeps,
  { place, issuer, client }: Pick<RegisteredClient, 'place' | 'issuer' | 'client'>,
): Promise<void> {
  const sealed = await vault.seal(JSON.stringify(client), place);
  const row = { id: place.row, issuer, client: sealed, createdAt: new Date(clock.now()) };
  await db.insert(mcpClients).values(row).onConflictDoNothing();
}

/** Stores a client in place of one that was read, unless another process was first. @returns whether it did. */
export async function replaceClient(
  { db, clock, vault }: RegisteredClientDeps,
  { place, sealed: before, createdAt, client: known }: RegisteredClient,
  client: StoredClient,
): Promise<boolean> {
  const sealed = await vault.seal(JSON.stringify(client), place);
  const isSame = and(eq(mcpClients.id, place.row), eq(mcpClients.client, before));
  const isNew = client.client_id !== known.client_id;
  const replaced = await db
    .update(mcpClients)
    .set({ client: sealed, createdAt: isNew ? new Date(clock.now()) : createdAt })
    .where(isSame)
    .returning({ id: mcpClients.id });
  return replaced.length > 0;
}

/**
 * Forgets the client whose id an authorization server refused. A client that took its place meanwhile stays, and those
 * of other redirects.
 */
export async function forgetClient(
  deps: RegisteredClientDeps,
  issuer: string,
  clientId: string,
): Promise<void> {
  const found = await findClient(deps, issuer, clientId);
  if (found === undefined) return;
  const { place, sealed } = found;
  await deps.db
    .delete(mcpClients)
    .where(and(eq(mcpClients.id, place.row), eq(mcpClients.client, sealed)));
}

/** Forgets all clients of the deployment at an issuer, with or without a slash at its end. @returns how many there were. */
export async function forgetClients(tx: Queryable, issuer: string): Promise<number> {
  const name = issuer.replace(/\/$/, '');
  const forgotten = await tx
    .delete(mcpClients)
    .where(inArray(mcpClients.issuer, [name, `${name}/`]))
    .returning({ id: mcpClients.id });
  return forgotten.length;
}

/**
 * Counts a doubt that the issuer does not confirm. Pure.
 *
 * @param now in ms since the epoch.
 * @returns the doubts with it; undefined where there were enough: nobody's links that are left alone make registrations
 *   without end.
 */
export function countDoubt(
  { doubts: before = [] }: StoredClient,
  principalId: string,
  now: number,
): StoredClient['doubts'] {
  const by = hash('sha256', principalId, 'hex').slice(0, 16);
  const doubts = before.filter(({ at }) => at > now - DOUBT_MS);
  const own = doubts.filter((doubt) => doubt.by === by);
  if (own.length >= MAX_OWN_DOUBTS || doubts.length >= MAX_DOUBTS) return undefined;
  return [...doubts, { by, at: now }];
}

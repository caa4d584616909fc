import { OAuthError, refreshAuthorization, type OAuthTokens } from '@modelcontextprotocol/client';
import { and, asc, desc, eq, gt, isNull, lt, lte, or, type SQL } from 'drizzle-orm';
import type { AuditLog } from '../../../access/audit-log.js';
import type { PrincipalEpochs } from '../../../access/people/principal-epochs.js';
import type { Actor } from '../../../access/principal.js';
import type { SecretPlace } from '../../../access/secrets/secret-columns.js';
import type { SecretVault } from '../../../access/secrets/secret-vault.js';
import { pause, type Clock } from '../../../platform/clock.js';
import { compact } from '../../../platform/compact.js';
import { newId } from '../../../platform/ids.js';
import type { Logger } from '../../../platform/logger.js';
import type { Database, Queryable } from '../../../storage/connection.js';
import { apiKeys } from '../../../storage/governance-schema.js';
import { mcpBegunLogins, mcpLogins } from '../../../storage/mcp-schema.js';
import { lockKey } from '../../../storage/statements.js';
import type { Metrics } from '../../../telemetry/metrics.js';
import { asking, type IssuerMetadata, type OAuthDiscovery } from './discovery.js';
import { secretShape, type LoginSecret } from './login-secret.js';
import { revokeTokens } from './oauth-clients.js';
import { OAuthLoginError } from './oauth-error.js';
import { forgetClient } from './registered-clients.js';

/** Time before its end at which an access token is refreshed, in ms. */
const EARLY_MS = 60_000;
/** Longest time for which one process refreshes a log-in, in ms: the one request for tokens fits. */
const REFRESH_MS = 30_000;
/** Pause between two looks at a log-in that another process refreshes, in ms. */
const LOOK_MS = 100;

export type McpLoginRow = typeof mcpLogins.$inferSelect;

export interface OpenLogin extends LoginSecret {
  row: McpLoginRow;
}

/** A log-in that was finished, to be stored. */
export interface NewMcpLogin extends Omit<LoginSecret, 'accessToken' | 'refreshToken' | 'scope'> {
  principalId: string;
  /** Name of the server. */
  name: string;
  tokens: OAuthTokens;
  /** The credential that began it, as the audit log has it. */
  credential: Readonly<Record<string, unknown>>;
}

/**
 * The log-ins of people at MCP servers. Tokens are stored sealed, and refreshed by one process at a time: a row says
 * which one may, so that no transaction is open while an authorization server is asked.
 */
export class McpLogins {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly vault: SecretVault,
    private readonly audit: AuditLog,
    private readonly epochs: PrincipalEpochs,
    private readonly discovery: OAuthDiscovery,
    private readonly metrics: Pick<Metrics, 'mcpLogins'>,
  ) {}

  /** The log-ins of somebody, the newest last. */
  list(principalId: string): Promise<McpLoginRow[]> {
    return this.db
      .select()
      .from(mcpLogins)
      .where(eq(mcpLogins.principalId, principalId))
      .orderBy(asc(mcpLogins.createdAt), asc(mcpLogins.id));
  }

  /** The newest log-in of somebody at a server. @param server as `normalServer` gives it. */
  async find(principalId: string, server: string): Promise<McpLoginRow | undefined> {
    const [found] = await this.db
      .select()
      .from(mcpLogins)
      .where(and(eq(mcpLogins.principalId, principalId), eq(mcpLogins.server, server)))
      .orderBy(desc(mcpLogins.renewedAt))
      .limit(1);
    return found;
  }

  /**
   * Stores the tokens of a log-in, in place of those that there were.
   *
   * @throws OAuthLoginError NOT_BEGUN where the access that it was begun with was ended since: a browser finishes it by
   *   a cookie of the log-in alone.
   */
  async store(
    tx: Queryable,
    { principalId, name, tokens, credential, ...rest }: NewMcpLogin,
    begunAt: Date,
  ): Promise<string> {
    await lockKey(tx, 'principal', principalId);
    const isOver =
      credential['kind'] === 'page'
        ? await this.#hasPageEnded(tx, { principalId, keyId: String(credential['id']) }, begunAt)
        : isAfter((await this.epochs.load(principalId, tx)).accessEndedAt, begunAt);
    if (isOver) throw new OAuthLoginError('NOT_BEGUN');
    const { server, issuer } = rest;
    const which = and(
      eq(mcpLogins.principalId, principalId),
      eq(mcpLogins.server, server),
      eq(mcpLogins.issuer, issuer),
    );
    const [known] = await tx.select().from(mcpLogins).where(which);
    const id = known?.id ?? newId('mcpl');
    const now = new Date(this.clock.now());
    const changing = {
      name,
      tokens: await this.#seal(
        { ...rest, ...secretOf(tokens, rest.asked) },
        { id, principalId },
        tx,
      ),
      version: (known?.version ?? 0) + 1,
      refreshingUntil: null,
      expiresAt: this.#endOf(tokens),
      renewedAt: now,
    };
    const row = { id, principalId, server, issuer, createdAt: now, ...changing };
    await tx
      .insert(mcpLogins)
      .values(row)
      .onConflictDoUpdate({ target: mcpLogins.id, set: changing });
    const details = { server: name, issuer, credential };
    const by = { id: principalId };
    await this.audit.write({ by, action: 'mcp-login.stored', subject: id, details }, tx);
    return id;
  }

  /** Whether page tokens of a time do nothing any more: those of the principal were ended, or the key that made them. */
  async #hasPageEnded(
    tx: Queryable,
    { principalId, keyId }: { principalId: string; keyId: string },
    begunAt: Date,
  ): Promise<boolean> {
    if (isAfter((await this.epochs.load(principalId, tx)).raisedAt, begunAt)) return true;
    const now = new Date(this.clock.now());
    const isLive = or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now));
    const live = await tx
      .select({ id: apiKeys.id })
      .from(apiKeys)
      .where(and(eq(apiKeys.id, keyId), isNull(apiKeys.revokedAt), isLive));
    return live.length === 0;
  }

  /**
   * A log-in whose token can be used: refreshed where its end is near, or where the server has refused it.
   *
   * @param refused the version whose token a server refused; undefined: none was.
   * @returns undefined where it has ended; nothing but another log-in helps then.
   * @throws OAuthLoginError AWAY, and others of discovery; TypedError SECRET_UNREADABLE.
   */
  async fresh(id: string, refused?: number): Promise<OpenLogin | undefined> {
    const until = this.clock.now() + REFRESH_MS;
    for (;;) {
      const row = await this.#load(id);
      if (row === undefined) return undefined;
      const login = await this.open(row);
      const isRefused = row.version === refused;
      if (!isRefused && !this.#endsWithin(row, EARLY_MS)) return login;
      if (login.refreshToken === undefined) {
        if (!isRefused && !this.#endsWithin(row, 0)) return login;
        if (await this.#drop(row)) return undefined;
        continue;
      }
      const metadata = await this.#metadataFor(row, isRefused);
      if (metadata === undefined) return login;
      if (await this.#claim(row)) {
        const refreshed = await this.#refresh(login, { metadata, isRefused });
        if (refreshed !== undefined) return refreshed;
      } else if (this.clock.now() > until) {
        throw new OAuthLoginError('AWAY', { issuer: row.issuer });
      } else {
        await pause(this.clock, LOOK_MS);
      }
    }
  }

  /** @throws TypedError SECRET_UNREADABLE 500, also for tokens of another row. */
  async open(row: McpLoginRow): Promise<OpenLogin> {
    const secret = secretShape.parse(JSON.parse(await this.vault.open(row.tokens, placeOf(row))));
    if (secret.server !== row.server || secret.issuer !== row.issuer) {
      throw new Error(`The tokens of ${row.id} are those of another server`);
    }
    return { row, ...secret };
  }

  /**
   * Ends a log-in here and at its issuer.
   *
   * @returns undefined: there is none of this principal with the id. `isRevoked`: whether the issuer took the tokens
   *   back; without it they end by themselves.
   */
  async end(by: Actor, id: string): Promise<{ row: McpLoginRow; isRevoked: boolean } | undefined> {
    const [row] = await this.#delete(by, and(eq(mcpLogins.id, id), ofPrincipal(by.id)));
    return row && { row, isRevoked: await this.#revoke(row, () => this.open(row)) };
  }

  /**
   * Ends all log-ins of a principal that left or is erased, and those that it has begun. An issuer that does not answer
   * stops nothing.
   *
   * @returns how many were ended.
   */
  async endAll(principalId: string, by: Actor): Promise<number> {
    await this.db.delete(mcpBegunLogins).where(eq(mcpBegunLogins.principalId, principalId));
    const ended = await this.#delete(by, ofPrincipal(principalId));
    await Promise.all(ended.map((row) => this.#revoke(row, () => this.open(row))));
    return ended.length;
  }

  #delete(by: Actor, which: SQL | undefined): Promise<McpLoginRow[]> {
    return this.db.transaction(async (tx) => {
      const ended = await tx.delete(mcpLogins).where(which).returning();
      for (const { id, name: server, issuer } of ended) {
        const details = { server, issuer };
        const entry = { by, action: 'mcp-login.ended', subject: id, details } as const;
        await this.audit.write(entry, tx);
      }
      return ended;
    });
  }

  async #revoke(row: McpLoginRow, open: () => Promise<LoginSecret>): Promise<boolean> {
    try {
      const login = await open();
      const metadata = await this.discovery.metadataOf(row.issuer, row.server);
      return await revokeTokens(login, metadata, this.discovery.fetch(row.server));
    } catch (error) {
      this.logger.warn(
        { server: row.name, issuer: row.issuer, error },
        'could not revoke the tokens of an ended log-in at an MCP server; they are deleted here, and valid there until they expire: revoke them at the issuer if that is too long',
      );
      return false;
    }
  }

  async #load(id: string): Promise<McpLoginRow | undefined> {
    const [row] = await this.db.select().from(mcpLogins).where(eq(mcpLogins.id, id));
    return row;
  }

  /** Whether this process refreshes the tokens now, which no other does then. */
  async #claim({ id, version }: McpLoginRow): Promise<boolean> {
    const now = new Date(this.clock.now());
    const isFree = or(isNull(mcpLogins.refreshingUntil), lt(mcpLogins.refreshingUntil, now));
    const claimed = await this.db
      .update(mcpLogins)
      .set({ refreshingUntil: new Date(this.clock.now() + REFRESH_MS) })
      .where(and(isVersion({ id, version }), isFree))
      .returning({ id: mcpLogins.id });
    return claimed.length > 0;
  }

  /**
   * The issuer's metadata that a refresh needs, read before it begins: a slow issuer must not outlast the claim, or two
   * processes send the same refresh token, and many issuers then end the log-in.
   *
   * @returns undefined: it cannot be read, and the tokens can be used without it for now.
   */
  async #metadataFor(row: McpLoginRow, isRefused: boolean): Promise<IssuerMetadata | undefined> {
    try {
      return await this.discovery.metadataOf(row.issuer, row.server);
    } catch (error) {
      this.#noteFailure(row, error);
      if (isRefused || this.#endsWithin(row, 0)) throw error;
      return undefined;
    }
  }

  /** @returns undefined where the tokens are not those that were read any more: they are read again. */
  async #refresh(
    login: OpenLogin,
    { metadata, isRefused }: { metadata: IssuerMetadata; isRefused: boolean },
  ): Promise<OpenLogin | undefined> {
    const { row, refreshToken = '', resource, client } = login;
    const { issuer, server, name } = row;
    try {
      const tokens = await refreshAuthorization(issuer, {
        metadata,
        clientInformation: client,
        refreshToken,
        ...compact({ resource }),
        fetchFn: this.discovery.fetch(server),
      });
      this.metrics.mcpLogins.inc({ outcome: 'refreshed' });
      return await this.#replace(login, tokens);
    } catch (error) {
      if (error instanceof OAuthError && finalErrors.has(error.code)) {
        this.metrics.mcpLogins.inc({ outcome: 'refresh_failed' });
        this.logger.warn(
          { server: name, issuer, reason: error.code },
          'an authorization server revoked a log-in at an MCP server; the person is asked to log in again',
        );
        await this.#drop(row);
        // A client that was registered by itself, and is not taken any more, is registered anew.
        const { db, clock, vault } = this;
        if (error.code !== 'invalid_grant') {
          await forgetClient({ db, clock, vault }, issuer, client.client_id);
        }
        return undefined;
      }
      this.#noteFailure(row, error);
      await this.db.update(mcpLogins).set({ refreshingUntil: null }).where(isVersion(row));
      if (!isRefused && !this.#endsWithin(row, 0)) return login;
      return asking(() => Promise.reject(error));
    }
  }

  #noteFailure({ name: server, issuer }: McpLoginRow, error: unknown): void {
    this.metrics.mcpLogins.inc({ outcome: 'refresh_failed' });
    const reason = error instanceof OAuthError ? error.code : undefined;
    this.logger.warn(
      { server, issuer, ...compact({ reason }), error },
      'could not refresh the tokens of a log-in at an MCP server; the next call tries it again',
    );
  }

  async #replace(login: OpenLogin, tokens: OAuthTokens): Promise<OpenLogin | undefined> {
    const { row, ...secret } = login;
    const fresh = { ...secret, ...secretOf(tokens, secret.scope) };
    const [replaced] = await this.db
      .update(mcpLogins)
      .set({
        tokens: await this.#seal(fresh, row),
        version: row.version + 1,
        refreshingUntil: null,
        expiresAt: this.#endOf(tokens),
        renewedAt: new Date(this.clock.now()),
      })
      .where(isVersion(row))
      .returning();
    // The person ended the log-in meanwhile.
    if (replaced === undefined && (await this.#load(row.id)) === undefined) {
      await this.#revoke(row, () => Promise.resolve(fresh));
    }
    return replaced && { row: replaced, ...fresh };
  }

  /** Deletes tokens that nobody can use, unless there are others by now. */
  async #drop(row: McpLoginRow): Promise<boolean> {
    const dropped = await this.db.delete(mcpLogins).where(isVersion(row)).returning();
    return dropped.length > 0;
  }

  #seal(
    secret: LoginSecret,
    row: Pick<McpLoginRow, 'id' | 'principalId'>,
    tx?: Queryable,
  ): Promise<string> {
    return this.vault.seal(JSON.stringify(secret), placeOf(row), tx);
  }

  #endOf({ expires_in: seconds }: OAuthTokens): Date | null {
    return seconds === undefined ? null : new Date(this.clock.now() + seconds * 1_000);
  }

  #endsWithin({ expiresAt }: McpLoginRow, ms: number): boolean {
    return expiresAt !== null && expiresAt.getTime() - ms <= this.clock.now();
  }
}

/** Codes of an authorization server that no second try changes. */
const finalErrors: ReadonlySet<string> = new Set([
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
]);

function ofPrincipal(principalId: string) {
  return eq(mcpLogins.principalId, principalId);
}

function isVersion({ id, version }: Pick<McpLoginRow, 'id' | 'version'>) {
  return and(eq(mcpLogins.id, id), eq(mcpLogins.version, version));
}

function placeOf({ id, principalId }: Pick<McpLoginRow, 'id' | 'principalId'>): SecretPlace {
  return { column: mcpLogins.tokens, row: id, principalId };
}

function secretOf(
  { access_token: accessToken, refresh_token: refreshToken, scope }: OAuthTokens,
  scopeBefore: string | undefined,
): Pick<LoginSecret, 'accessToken' | 'refreshToken' | 'scope'> {
  return { accessToken, ...compact({ refreshToken, scope: scope ?? scopeBefore }) };
}

/** Deletes the rows of log-ins that were begun and not finished in time. */
export async function removeBegunMcpLogins(db: Database, now: Date): Promise<void> {
  await db.delete(mcpBegunLogins).where(lte(mcpBegunLogins.expiresAt, now));
}

function isAfter(time: Date | null | undefined, begunAt: Date): boolean {
  return time !== null && time !== undefined && begunAt < time;
}

import { Inject, Injectable } from '@nestjs/common';
import { compact } from '../platform/compact.js';
import { and, asc, eq, getTableColumns, isNull } from 'drizzle-orm';
import { actingCredential, AuditLog } from '../access/audit-log.js';
import { SecretVault } from '../access/secrets/secret-vault.js';
import { LOCAL_USER, type Actor, type Credential } from '../access/principal.js';
import { CONFIG, type Config } from '../config/config.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { isId, newId } from '../platform/ids.js';
import { DATABASE, type Database, type Queryable } from '../storage/connection.js';
import { isDatabaseDown } from '../storage/database-errors.js';
import { Batcher } from '../platform/async/batcher.js';
import { sessions, turns } from '../storage/schema.js';
import type { SessionOrigin } from '../storage/shapes/stored-turn.js';
import type { ForkSource } from '../storage/shapes/stored-turn.js';
import type { RequestPrefix } from '../storage/shapes/sent-request.js';
import type {
  AgentConfig,
  PermissionRules,
  ProjectFilesKind,
} from '../storage/shapes/stored-options.js';
import { countSessions, insertSessions, type NotedSession } from './insert-sessions.js';
import {
  isListed,
  movedSessions,
  pageSessions,
  type MovedSessions,
  type PagedSession,
  type SessionPage,
} from './page-sessions.js';
import { sealCredentials } from './session-credentials.js';
import type { GivenAgents } from './session-agents.js';
import { sessionLimit, sessionNotFound } from './session-errors.js';

/** A session without its request prefix, which is long: turns load that by themselves. */
export type SessionRow = Omit<typeof sessions.$inferSelect, 'prefix'>;

const { prefix, ...columns } = getTableColumns(sessions);
export const sessionColumns = columns;

export interface NewSession {
  /** Default: a new id of `newId('sess')`. */
  id?: string;
  /** The session's owner. Default: `local`. */
  principalId?: string;
  projectRoot: string;
  persona: string;
  mode: string;
  /** The credential of the request that creates it, for the audit log. Default: none. */
  credential?: Credential;
  /** The wire that creates it. Default: `harness`. */
  origin?: SessionOrigin;
  /** The client's own name for it. Default: null, none. */
  clientName?: string | null;
  /** Limits of its turns. Default: null, none. */
  agentConfig?: Partial<AgentConfig> | null;
  /** Rules for its tools. Default: null, none. */
  permissions?: PermissionRules | null;
  /** MCP servers of its turns, with credentials. Default: null, none. */
  mcpServers?: Record<string, unknown> | null;
  /** Whose files of its project it takes. Default: null, none. */
  projectFiles?: ProjectFilesKind | null;
  /** Agents of its own that its turns may delegate to. Default: null, none. */
  agents?: GivenAgents | null;
  /** Milliseconds it is kept without use. Default: null, until it is deleted. */
  expiresAfterMs?: number | null;
  /** Model of its last turn. Default: null, none yet. */
  model?: string | null;
  /** The point of another session that it begins at. Default: null, it begins empty. */
  forkedFrom?: ForkSource | null;
  /** The turn that its turn is a replay of: no list has the session. Default: null, it is no replay. */
  replayOf?: string | null;
}

/** The row of a session that is not stored yet: its MCP servers are as they were given. */
export type NewSessionRow = SessionRow &
  Pick<NewSession, 'credential'> & { mcpServers: Record<string, unknown> | null };

/** Stores the content of a new session. */
export type FillSession = (tx: Queryable, session: SessionRow) => Promise<void>;

/** Columns that a new session leaves as they are by default. */
const blankRow = {
  principalId: LOCAL_USER,
  origin: 'harness',
  clientName: null,
  title: null,
  claudeSessionId: null,
  bootFingerprint: null,
  bootedAt: null,
  model: null,
  agentConfig: null,
  expiresAfterMs: null,
  parentTurnId: null,
  headTurnId: null,
  headWorker: null,
  forkedFrom: null,
  replayOf: null,
  permissions: null,
  mcpServers: null,
  projectFiles: null,
  agents: null,
} satisfies Partial<SessionRow>;

function creatorOf({ principalId: id, credential }: NewSessionRow): Actor {
  return { id, ...compact({ credential }) };
}

/** Sessions as rows. Ids are keys of a table, never names of files. */
@Injectable()
export class SessionStore {
  readonly #batches = new Batcher(
    (rows: readonly NotedSession[]) => insertSessions(this.db, rows, this.config.maxSessions),
    isDatabaseDown,
  );

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<Config, 'maxSessions'>,
    private readonly audit: AuditLog,
    private readonly vault: SecretVault,
  ) {}

  /**
   * Creates a session: an empty one together with others that come in the same moment.
   *
   * @param fill stores its content in the same transaction. Default: it is empty.
   * @throws TypedError SESSION_LIMIT 429; what `fill` throws: there is no session then.
   */
  async create(session: NewSession, fill?: FillSession): Promise<SessionRow> {
    const row = this.newRow(session);
    if (fill === undefined) {
      const sealed = await this.#sealed(row);
      const details = actingCredential(creatorOf(row));
      if (await this.#batches.add({ session: sealed, details })) return sealed;
    }
    return this.db.transaction((tx) => this.store(row, tx, fill));
  }

  /** The row of a session that is to be stored. */
  newRow(session: NewSession): NewSessionRow {
    const now = new Date(this.clock.now());
    return { ...blankRow, id: newId('sess'), ...session, createdAt: now, updatedAt: now };
  }

  /** Stores a session in a transaction that goes on. @throws as `create`. */
  async store(row: NewSessionRow, tx: Queryable, fill?: FillSession): Promise<SessionRow> {
    const { maxSessions } = this.config;
    const sealed = await this.#sealed(row, tx);
    const [created] = await tx.insert(sessions).values(sealed).returning(sessionColumns);
    if (created === undefined) throw new Error('The database returned no session');
    const entry = { by: creatorOf(row), action: 'session.created', subject: created.id } as const;
    await this.audit.write(entry, tx);
    await fill?.(tx, created);
    if ((await countSessions(tx)) > maxSessions) throw sessionLimit(maxSessions);
    return created;
  }

  async #sealed(given: NewSessionRow, tx?: Queryable): Promise<SessionRow> {
    const { credential: _, ...row } = given;
    return { ...row, mcpServers: await sealCredentials(this.vault, row, row.mcpServers, tx) };
  }

  /** @throws TypedError SESSION_NOT_FOUND 404, also for text that is no session's id. */
  async get(sessionId: string, db: Queryable = this.db): Promise<SessionRow> {
    const [session] = isId('sess', sessionId)
      ? await db.select(sessionColumns).from(sessions).where(eq(sessions.id, sessionId))
      : [];
    if (session === undefined) throw sessionNotFound(sessionId);
    return session;
  }

  /** A principal's sessions of a project, oldest first, without those of subagents and replays. */
  async list(projectRoot: string, principalId: string = LOCAL_USER): Promise<SessionRow[]> {
    return this.db
      .select(sessionColumns)
      .from(sessions)
      .where(
        and(eq(sessions.projectRoot, projectRoot), eq(sessions.principalId, principalId), isListed),
      )
      .orderBy(asc(sessions.createdAt), asc(sessions.id));
  }

  /** Loads the prefix of a session's requests; null before the first request. */
  async prefixOf(sessionId: string): Promise<RequestPrefix | null> {
    const [found] = await this.db
      .select({ prefix })
      .from(sessions)
      .where(eq(sessions.id, sessionId));
    return found?.prefix ?? null;
  }

  /** Loads a page of a principal's sessions: see `pageSessions`. */
  async page(principalId: string, page: SessionPage): Promise<PagedSession[]> {
    return pageSessions(this.db, principalId, page);
  }

  /** Loads sessions that moved since a first page: see `movedSessions`. */
  async moved(principalId: string, wanted: MovedSessions): Promise<PagedSession[]> {
    return movedSessions(this.db, principalId, wanted);
  }

  /** Stores the results of a boot or of a turn's start. `sessionId` and `createdAt` never change. */
  async update(
    sessionId: string,
    facts: Partial<Pick<SessionRow, 'claudeSessionId' | 'bootFingerprint' | 'bootedAt' | 'model'>>,
    db: Queryable = this.db,
  ): Promise<SessionRow> {
    const [session] = await db
      .update(sessions)
      .set({ ...facts, updatedAt: new Date(this.clock.now()) })
      .where(eq(sessions.id, sessionId))
      .returning(sessionColumns);
    if (session === undefined) throw sessionNotFound(sessionId);
    return session;
  }

  /** Its place in lists stays: a new title is no use. @throws TypedError SESSION_NOT_FOUND 404. */
  async rename(sessionId: string, title: string | null): Promise<SessionRow> {
    const [session] = await this.db
      .update(sessions)
      .set({ title })
      .where(eq(sessions.id, sessionId))
      .returning(sessionColumns);
    if (session === undefined) throw sessionNotFound(sessionId);
    return session;
  }

  /**
   * Deletes a session in which no turn was stored but copies of a fork's source; any other stays, as one that
   * there is not.
   *
   * @param by the principal who does.
   */
  async deleteUnused(sessionId: string, by: Actor): Promise<void> {
    await this.db.transaction(async (tx) => {
      // A turn that is being stored holds the row: it is seen once the lock is there.
      const [locked] = await tx
        .select({ id: sessions.id })
        .from(sessions)
        .where(eq(sessions.id, sessionId))
        .for('update');
      if (locked === undefined) return;
      const ofItsOwn = and(eq(turns.sessionId, sessionId), isNull(turns.copiedFrom));
      if ((await tx.$count(turns, ofItsOwn)) > 0) return;
      await tx.delete(sessions).where(eq(sessions.id, sessionId));
      const entry = { by, action: 'session.deleted', subject: sessionId } as const;
      await this.audit.write(entry, tx);
    });
  }

  /**
   * Deletes a session with everything that belongs to it.
   *
   * @param by the principal who does.
   * @throws TypedError SESSION_NOT_FOUND 404.
   */
  async delete(sessionId: string, by: Actor): Promise<void> {
    if (!isId('sess', sessionId)) throw sessionNotFound(sessionId);
    await this.db.transaction(async (tx) => {
      const deleted = await tx
        .delete(sessions)
        .where(eq(sessions.id, sessionId))
        .returning({ id: sessions.id });
      if (deleted.length === 0) throw sessionNotFound(sessionId);
      const entry = { by, action: 'session.deleted', subject: sessionId } as const;
      await this.audit.write(entry, tx);
    });
  }
}

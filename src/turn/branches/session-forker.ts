import type { Credential } from '../../access/principal.js';
import { Inject, Injectable } from '@nestjs/common';
import { asc, eq } from 'drizzle-orm';
import { isTypedError } from '../../errors/typed-error.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { compact } from '../../platform/compact.js';
import { hashedSessionId } from '../../session/named-session.js';
import { sessionNotFound } from '../../session/session-errors.js';
import { SessionStore, type NewSession, type SessionRow } from '../../session/session-store.js';
import { viewSession } from '../../session/session.dto.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { todos, sessions, turns } from '../../storage/schema.js';
import { violatedConstraint } from '../../storage/database-errors.js';
import type { ForkSource, ForkPosition } from '../../storage/shapes/stored-turn.js';
import type { RequestPrefix } from '../../storage/shapes/sent-request.js';
import { ToolRegistry } from '../../tools/registry.js';
import {
  forkKeyReused,
  forkOfSubagent,
  forkOfUnended,
  turnNotInSession,
} from '../state/turn-errors.js';
import { openCredentials } from '../../session/session-credentials.js';
import { historyBefore, unseenBy } from '../state/load-turns.js';
import type { ForkedSessionDto } from './fork.dto.js';
import { SecretVault } from '../../access/secrets/secret-vault.js';
import { prefixAsOf, todosAsOf } from './supersede-turns.js';
import { copyTurns, type CopiedIds } from './copy-turns.js';
import { findWritten, joinWritten } from './written-files.js';

export interface ForkRequest {
  turnId: string;
  /** The credential of who forks, for the audit log. */
  credential: Credential;
  position: ForkPosition;
  /** A repeated request with the same key gets the first one's fork. */
  idempotencyKey: string | undefined;
}

/** A fork that is to be stored. */
export interface PlannedFork {
  session: SessionRow;
  /** Stores all of it in a transaction. @throws as `fork`. */
  store(this: void, tx: Queryable): Promise<SessionRow>;
}

const { id, createdAt, endedAt, supersededBy, copiedFrom } = turns;

/** Begins sessions with the history of others. */
@Injectable()
export class SessionForker {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly sessions: SessionStore,
    private readonly tools: ToolRegistry,
    private readonly vault: SecretVault,
  ) {}

  /**
   * Creates a session whose history is that of another up to a turn: copies, so that nothing that happens
   * to the source reaches the fork (decision 22). One transaction: there is the whole fork, or none.
   *
   * The fork has what the source has: owner, folder, persona, mode, limits, rules, MCP servers, wire. It has
   * no approvals and no grants. Its files are the source's, as they are now.
   *
   * @throws TypedError SESSION_NOT_FOUND 404, TURN_NOT_FOUND 404 for a turn of another session,
   *   TURN_IN_PROGRESS 409 for a history that has not ended, INVALID_REQUEST 400 for a subagent's session,
   *   IDEMPOTENCY_KEY_REUSED 422, SESSION_LIMIT 429.
   */
  async fork(sessionId: string, request: ForkRequest): Promise<ForkedSessionDto> {
    const source = await this.sessions.get(sessionId);
    if (source.parentTurnId !== null) throw forkOfSubagent(sessionId, source.parentTurnId);
    const { idempotencyKey } = request;
    if (idempotencyKey === undefined) return viewFork(await this.#create(source, request));
    const forkId = hashedSessionId(['fork', sessionId, idempotencyKey]);
    const earlier = await this.#findEarlier(forkId, request);
    if (earlier !== undefined) return viewFork(earlier);
    try {
      return viewFork(await this.#create(source, request, forkId));
    } catch (error) {
      if (violatedConstraint(error) !== 'sessions_pkey') throw error;
      const racing = await this.#findEarlier(forkId, request);
      if (racing === undefined) throw sessionNotFound(sessionId);
      return viewFork(racing);
    }
  }

  /** The fork that an earlier request with the same key made. */
  async #findEarlier(forkId: string, request: ForkRequest): Promise<SessionRow | undefined> {
    const found = await this.sessions.get(forkId).catch((error: unknown) => {
      if (isTypedError(error, 'SESSION_NOT_FOUND')) return undefined;
      throw error;
    });
    if (found === undefined) return undefined;
    const { turnId, position } = found.forkedFrom ?? {};
    if (turnId === request.turnId && position === request.position) return found;
    throw forkKeyReused(found.id);
  }

  /**
   * A fork for the replay of a turn: its history ends before that turn. It is stored with the turn that runs in it.
   * No wire but the harness's has it, and it knows nothing of files that were written since.
   *
   * @param forkId default: a new id.
   */
  planReplay(
    source: SessionRow,
    { turnId, credential }: Pick<ForkRequest, 'turnId' | 'credential'>,
    forkId?: string,
  ): PlannedFork {
    const point = { turnId, position: 'before' } as const;
    return this.#plan(source, point, {
      credential,
      ...compact({ id: forkId }),
      origin: 'harness',
      replayOf: turnId,
    });
  }

  #create(source: SessionRow, request: ForkRequest, forkId?: string): Promise<SessionRow> {
    const { credential } = request;
    const { store } = this.#plan(source, request, { credential, ...compact({ id: forkId }) });
    return this.db.transaction(store);
  }

  #plan(
    source: SessionRow,
    { turnId, position }: Pick<ForkRequest, 'turnId' | 'position'>,
    as: Partial<NewSession>,
  ): PlannedFork {
    const { principalId, projectRoot, persona, mode, origin, model } = source;
    const { agentConfig, permissions, projectFiles, agents, expiresAfterMs } = source;
    const own = { principalId, projectRoot, persona, mode, origin, model };
    const terms = { agentConfig, permissions, projectFiles, agents, expiresAfterMs };
    const forkedFrom: ForkSource = { sessionId: source.id, turnId, position };
    const session = this.sessions.newRow({ ...own, ...terms, ...as, forkedFrom });
    const store = async (tx: Queryable): Promise<SessionRow> => {
      let made: SessionRow | undefined;
      const mcpServers = await openCredentials(this.vault, source, tx);
      await this.sessions.store({ ...session, mcpServers }, tx, async (_tx, fork) => {
        made = await this.#fill(tx, { source, fork, forkedFrom });
      });
      if (made === undefined) throw new Error('The fork was not filled');
      return made;
    };
    return { session, store };
  }

  async #fill(
    tx: Queryable,
    { source, fork, forkedFrom }: { source: SessionRow; fork: SessionRow; forkedFrom: ForkSource },
  ): Promise<SessionRow> {
    // The lock keeps the source from being deleted before all of it is copied; turns go on.
    const [locked] = await tx
      .select({ prefix: sessions.prefix })
      .from(sessions)
      .where(eq(sessions.id, source.id))
      .for('key share');
    if (locked === undefined) throw sessionNotFound(source.id);
    const all = await tx
      .select({ id, createdAt, endedAt, supersededBy, copiedFrom })
      .from(turns)
      .where(eq(turns.sessionId, source.id))
      .orderBy(asc(createdAt), asc(id));
    const line = lineOf(all, source.id, forkedFrom);
    const others = unseenBy(all, line).map((turn) => turn.id);
    const kept = line.map((turn) => turn.id);
    // A fork that has had no turn of its own was not told yet of what its source wrote.
    const isUnannounced = line.every((turn) => turn.copiedFrom !== null);
    const isReplay = fork.replayOf !== null;
    const written = joinWritten(
      isUnannounced ? source.forkedFrom?.written : undefined,
      isReplay ? undefined : await findWritten(tx, this.tools.list(), others),
    );
    const prefix = await prefixAsOf(tx, locked.prefix, { kept, dropped: others });
    const copied = await copyTurns(tx, { from: source.id, to: fork.id, turns: line });
    const items = await todosAsOf(tx, kept);
    const updatedAt = new Date(this.clock.now());
    if (items !== undefined)
      await tx.insert(todos).values({ sessionId: fork.id, items, updatedAt });
    const point = { ...forkedFrom, ...compact({ written }) };
    await tx
      .update(sessions)
      .set({ forkedFrom: point, prefix: prefix && withCopiedIds(prefix, copied) })
      .where(eq(sessions.id, fork.id));
    return { ...fork, forkedFrom: point };
  }
}

interface ForkableTurn {
  id: string;
  createdAt: Date;
  endedAt: Date | null;
  supersededBy: string | null;
  copiedFrom: string | null;
}

/** The turns that the fork has. @throws TypedError TURN_NOT_FOUND, TURN_IN_PROGRESS. */
function lineOf(
  all: readonly ForkableTurn[],
  sessionId: string,
  { turnId, position }: ForkSource,
): ForkableTurn[] {
  const before = historyBefore(all, turnId);
  const named = all.find((turn) => turn.id === turnId);
  if (before === undefined || named === undefined) throw turnNotInSession(turnId, sessionId);
  const line = position === 'before' ? before : [...before, named];
  const unended = line.find((turn) => turn.endedAt === null);
  if (unended !== undefined) throw forkOfUnended(sessionId, unended.id);
  return line;
}

function withCopiedIds(
  { thinkingAfter, leftOut, ...rest }: RequestPrefix,
  copied: CopiedIds,
): RequestPrefix {
  const [turnId = '', step = ''] = thinkingAfter?.split(':') ?? [];
  const copy = copied.get(turnId);
  const keys = (leftOut ?? []).flatMap((key) => {
    const [original = ''] = key.split('/', 1);
    const turn = copied.get(original);
    return turn === undefined ? [] : [turn + key.slice(original.length)];
  });
  return {
    ...rest,
    ...(copy === undefined ? {} : { thinkingAfter: `${copy}:${step}` }),
    ...(keys.length === 0 ? {} : { leftOut: keys }),
  };
}

function viewFork(row: SessionRow): ForkedSessionDto {
  const filesWritten = row.forkedFrom?.written;
  return { session: viewSession(row), filesReverted: false, ...compact({ filesWritten }) };
}

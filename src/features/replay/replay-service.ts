import { Inject, Injectable } from '@nestjs/common';
import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import { loadArchiveAfter, type TurnEvent } from '../../events/face.js';
import { badCursor, cutPage, type PageQueryDto } from '../../http/face.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import {
  getTurn,
  isOlderThan,
  listedColumns,
  loadRecording,
  loadTurns,
  replayOfReplay,
  replayOfSubagent,
  replayOfUnended,
  replayReplaces,
  SessionForker,
  type StoredTurn,
  type SubmittedTurn,
  turnNotFound,
  TurnService,
  viewListedTurn,
} from '../../turn/face.js';
import { compact, isId } from '../../platform/face.js';
import { sessions, turns } from '../../storage/schema.js';
import type { ReplayTools } from '../../storage/shapes/stored-turn.js';
import type { Principal } from '../../access/face.js';
import { BlobStore } from '../../attachments/face.js';
import { optionFields, parseReplaced } from '../../options/face.js';
import { hashedSessionId, SessionStore } from '../../session/face.js';
import { violatedConstraint } from '../../storage/database-errors.js';
import type { StoredPart } from '../../storage/shapes/stored-step.js';
import type { ResolvedOptions } from '../../storage/shapes/stored-options.js';
import type { TurnComparisonDto, ReplayDto, ReplayPageDto } from './replay.dto.js';
import { compareTurns, type TurnToCompare } from './compare-turns.js';

/** Events loaded at a time to find the first of a reply. */
const EVENTS_AT_ONCE = 200;

/** Replays of turns: runs their messages again, on recorded results of tools, and compares what is stored of both. */
@Injectable()
export class ReplayService {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly sessions: SessionStore,
    private readonly forker: SessionForker,
    private readonly blobs: BlobStore,
    private readonly turns: TurnService,
  ) {}

  /**
   * Submits the replay of a turn, in a session of its own that no list has. The session, its history and its turn
   * are stored in one transaction: there is the whole replay, or none.
   *
   * @throws TypedError TURN_NOT_FOUND 404, TURN_IN_PROGRESS 409 for a turn that has not ended, INVALID_REQUEST 400 for
   *   a subagent's turn, a replay and `opts.replaces`, IDEMPOTENCY_KEY_REUSED 422; those of `TurnService.submit`.
   */
  async replay(turnId: string, request: ReplayRequest): Promise<SubmittedReplay> {
    const { idempotencyKey: key, opts } = request;
    if (parseReplaced(opts) !== undefined) throw replayReplaces();
    const recorded = await this.#loadRecorded(turnId);
    const sessionId = key === undefined ? undefined : hashedSessionId(['replay', turnId, key]);
    try {
      return await this.#submit(recorded, request, sessionId);
    } catch (error) {
      if (violatedConstraint(error) !== 'sessions_pkey') throw error;
      // A request with the same key was first: its turn is found now.
      return this.#submit(recorded, request, sessionId);
    }
  }

  async #loadRecorded(turnId: string): Promise<StoredTurn> {
    const [recorded] = isId('turn', turnId) ? await loadTurns(this.db, [turnId]) : [];
    if (recorded === undefined) throw turnNotFound(turnId);
    const { endedAt, sessionId, parentTurnId, request } = recorded.turn;
    if (parentTurnId !== null) throw replayOfSubagent(turnId, parentTurnId);
    if (request.replay !== undefined) throw replayOfReplay(turnId, request.replay.turnId);
    if (endedAt === null) throw replayOfUnended(sessionId, turnId);
    return recorded;
  }

  async #submit(
    { turn, userParts: parts }: StoredTurn,
    { principal, tools = 'recorded', idempotencyKey, ...changes }: ReplayRequest,
    wantedId: string | undefined,
  ): Promise<SubmittedReplay> {
    const source = await this.sessions.get(turn.sessionId);
    const { session, store } = this.forker.planReplay(
      source,
      { turnId: turn.id, credential: principal.credential },
      wantedId,
    );
    const { message, opts, instructions } = turn.request;
    const submitted = await this.turns.submit({
      sessionId: session.id,
      principal,
      message,
      opts: replayOptions({ opts, resolved: turn.options.options }, changes),
      attachments: [],
      instructions,
      idempotencyKey,
      replay: { turnId: turn.id, tools, parts },
      extraWrites: {
        session,
        store: async (tx: Queryable) => {
          await store(tx);
          await this.blobs.keep(session.id, filesOf(parts), tx);
        },
      },
    });
    return { ...submitted, sessionId: session.id };
  }

  /** A page of a turn's replays, the newest first. @throws TypedError TURN_NOT_FOUND 404. */
  async page(turnId: string, { cursor: after, limit }: PageQueryDto): Promise<ReplayPageDto> {
    const { id } = await getTurn(this.db, turnId);
    if (after !== undefined && !(await isReplayOf(this.db, id, after))) throw badCursor();
    const found = await pageReplays(this.db, id, { after, limit: limit + 1 });
    const { rows, ...next } = cutPage(found, limit, (replay) => replay.turnId);
    return { replays: rows, ...next };
  }

  /** Two turns side by side. @throws TypedError TURN_NOT_FOUND 404 for either. */
  async compare(leftId: string, rightId: string): Promise<TurnComparisonDto> {
    const [left, right] = await Promise.all([this.#load(leftId), this.#load(rightId)]);
    return compareTurns(left, right);
  }

  async #load(turnId: string): Promise<TurnToCompare> {
    const { db } = this;
    const { id } = await getTurn(db, turnId);
    const [stored] = await loadTurns(db, [id]);
    if (stored === undefined) throw turnNotFound(turnId);
    const [recording, firstTokenAt] = await Promise.all([
      stored.turn.request.replay && loadRecording(db, stored.turn.request.replay),
      this.#findFirstToken(id),
    ]);
    return { stored, recording, firstTokenAt };
  }

  async #findFirstToken(turnId: string): Promise<string | undefined> {
    for (let after = { attempt: 0, seq: 0 }; ;) {
      const events = await loadArchiveAfter(this.db, turnId, { after, most: EVENTS_AT_ONCE });
      const first = events.find(isOfReply);
      const last = events.at(-1);
      if (first !== undefined || last === undefined) return first?.at;
      after = last;
    }
  }
}

function isOfReply({ type }: TurnEvent): boolean {
  return type === 'text.delta' || type === 'thinking.delta' || type === 'tool.requested';
}

/**
 * Replays of a turn, the newest first.
 *
 * @param after the last one of the page before; undefined: from the newest.
 */
async function pageReplays(
  db: Queryable,
  turnId: string,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<ReplayDto[]> {
  const { sessionId } = turns;
  const tools = sql<ReplayTools>`${turns.request} -> 'replay' ->> 'tools'`;
  const found = await db
    .select({ ...listedColumns, sessionId, tools })
    .from(sessions)
    .innerJoin(turns, eq(turns.sessionId, sessions.id))
    .where(and(eq(sessions.replayOf, turnId), isNull(turns.copiedFrom), isOlderThan(after)))
    .orderBy(desc(turns.createdAt), desc(turns.id))
    .limit(limit);
  return found.map((turn) => ({
    ...viewListedTurn(turn),
    sessionId: turn.sessionId,
    tools: turn.tools,
  }));
}

/** Whether a text is the id of a turn that is a replay of another. */
async function isReplayOf(db: Queryable, turnId: string, given: string): Promise<boolean> {
  if (!isId('turn', given)) return false;
  const found = await db
    .select({ id: turns.id })
    .from(turns)
    .innerJoin(sessions, eq(sessions.id, turns.sessionId))
    .where(and(eq(turns.id, given), eq(sessions.replayOf, turnId)));
  return found.length > 0;
}

export interface ReplayRequest extends ReplayChanges {
  /** Default: recorded. */
  tools?: ReplayTools | undefined;
  principal: Principal;
  /** A repeated request with the same key gets the first one's turn. */
  idempotencyKey: string | undefined;
}

/** A replay's turn with its session. */
export interface SubmittedReplay extends SubmittedTurn {
  sessionId: string;
}

function filesOf(parts: readonly StoredPart[]): string[] {
  return parts.flatMap((part) => (part.type === 'text' ? [] : [part.file.sha256]));
}

/** The changes of a replay to the recorded turn. Absent fields stay as they were. */
interface ReplayChanges {
  model?: string | undefined;
  agent?: string | undefined;
  opts?: object | undefined;
}

/**
 * The options of a replay: the recorded request's, with the model, the agent and the mode that came of it then, and
 * the changes over them. It runs in the background, and no reader's absence ends it, unless the changes say so. Pure.
 */
export function replayOptions(
  recorded: { opts: unknown; resolved: Pick<ResolvedOptions, 'model' | 'persona' | 'mode'> },
  { model, agent, opts }: ReplayChanges,
): Record<string, unknown> {
  const { replaces: _place, onBusy: _busy, ...asked } = optionFields(recorded.opts);
  const { model: ofThen, persona, mode } = recorded.resolved;
  const own = { priority: 'background', onDisconnect: 'continue' };
  const { onBusy: _none, ...changes } = optionFields(opts);
  return {
    ...asked,
    model: ofThen,
    persona,
    mode,
    ...own,
    ...changes,
    ...compact({ model, persona: agent }),
  };
}

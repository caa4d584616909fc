import { Inject, Injectable } from '@nestjs/common';
import { and, asc, eq, inArray, sql, type SQL } from 'drizzle-orm';
import { type Actor, callerLogger, forbiddenScope, type Principal } from '../../access/face.js';
import { BlobStore, type ReceivedFile } from '../../attachments/face.js';
import {
  findNamedSession,
  isSessionMissing,
  type NamedSessionParams,
  openNamedSession,
  ProjectRoots,
  type SessionRow,
  SessionStore,
  SessionTermsChecker,
} from '../../session/face.js';
import { compact, isId, type Logger, LOGGER } from '../../platform/face.js';
import {
  activeStatuses,
  DATABASE,
  type Database,
  type Queryable,
  sessions,
  turns,
  unendedStatuses,
} from '../../storage/face.js';
import {
  ApprovalAnswerer,
  type CancelState,
  type ClientTurn,
  type SubmittedTurn,
  type TurnRow,
  TurnService,
  type TurnSubmission,
} from '../../turn/face.js';
import { findQuestions, matchAnswers, type MatchedAnswers, type WireAnswers } from './questions.js';
import { storeInlineFiles, type InlineFile, type WireFile } from './inline-files.js';

/** A conversation by its client's name for it, and its owner. */
export interface ConversationName {
  principal: Principal;
  name: string;
}

/** A session, and whether it was created for the request that found it. */
export interface FoundSession {
  sessionId: string;
  isNew: boolean;
}

/** A message of the user. */
export interface WireMessage {
  /** Blank beside a file. */
  text: string;
  files: readonly WireFile[];
  /** Texts and files in the order in which they were said. Absent: files come last. */
  content?: readonly (string | InlineFile)[];
  /** The client's own id of it; undefined: the server's is used. */
  clientId?: string | undefined;
}

/** Fields of a turn's submission that mean the same for a message of a wire. */
type SubmissionFields = Pick<
  TurnSubmission,
  | 'sessionId'
  | 'idempotencyKey'
  | 'problems'
  | 'instructions'
  | 'clientHistory'
  | 'needsAllFiles'
  | 'keepsFiles'
  | 'responses'
  | 'whenBusy'
  | 'wireOnDisconnect'
  | 'extraWrites'
>;

export interface MessageSubmission extends SubmissionFields {
  principal: Principal;
  message: WireMessage;
  /** The agent that the request names; undefined: the conversation's own persona. */
  agent: string | undefined;
  opts: Record<string, unknown>;
  /**
   * Turns before the message that the client has and the server lacks, oldest first: they are stored with the
   * turn, and are messages of the conversation from then on. Absent: none.
   */
  earlier?: readonly ClientTurn<InlineFile>[] | undefined;
  /**
   * The conversation before the message, as its client has it: it is stored where the server has no turn of it, as of
   * a conversation that was deleted. Absent: the client sent none.
   */
  history?: (() => readonly ClientTurn<WireFile>[]) | undefined;
  /** `dontAsk` where the client cannot be shown an approval. Absent: it can. */
  wireMode?: 'dontAsk';
}

/** Characters of an id of the client's that is kept. */
const MAX_KEPT_ID_CHARS = 200;

/** Conversations of wires whose clients name them: each is a session, with the client's name for its id. */
@Injectable()
export class Conversations {
  constructor(
    private readonly turns: TurnService,
    private readonly answerer: ApprovalAnswerer,
    private readonly sessions: SessionStore,
    private readonly projectRoots: ProjectRoots,
    private readonly terms: SessionTermsChecker,
    private readonly store: BlobStore,
    @Inject(DATABASE) private readonly db: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws TypedError INVALID_REQUEST 400 for a name that none can have. */
  find({ principal, name }: ConversationName): Promise<SessionRow | undefined> {
    const { sessions } = this;
    return findNamedSession({ sessions }, { principalId: principal.id, name });
  }

  /**
   * Finds a conversation, or begins it, and submits to it. Where the turn is refused that a conversation began
   * with, there is no conversation, unless a simultaneous request has one by now.
   *
   * @throws see `openNamedSession`; what `submit` throws.
   */
  begin<Submitted>(
    wanted: NamedSessionParams,
    submit: (sessionId: string) => Promise<Submitted>,
  ): Promise<Submitted> {
    const { sessions, projectRoots, terms } = this;
    const open = async () => {
      const { session, isNew } = await openNamedSession({ sessions, projectRoots, terms }, wanted);
      return { sessionId: session.id, isNew };
    };
    return this.beginIn(open, wanted.principal, submit);
  }

  /**
   * Does so in a session that `open` finds or creates, or in that of the turn that an earlier try of the request began.
   *
   * @throws what `open` and `submit` throw.
   */
  async beginIn<Submitted>(
    open: () => Promise<FoundSession>,
    principal: Principal,
    submit: (sessionId: string) => Promise<Submitted>,
  ): Promise<Submitted> {
    const earlier = principal.try && (await this.turns.findEarlierTry(principal));
    if (earlier !== undefined) return submit(earlier.sessionId);
    const remove = async (sessionId: string): Promise<void> => {
      try {
        await this.sessions.deleteUnused(sessionId, principal);
      } catch (error) {
        const logger = callerLogger(this.logger, principal);
        logger.warn(
          { sessionId, error },
          'could not delete the new session of a refused turn; it stays, without turns',
        );
      }
    };
    return beginSession({ open, submit, remove });
  }

  /** Submits a message with its files. @throws see `TurnService.submit`. */
  async submit(wanted: MessageSubmission): Promise<SubmittedTurn> {
    const { sessionId, principal, message, agent, opts, earlier = [], history, ...rest } = wanted;
    const isFirst = history !== undefined && !(await this.#hasTurns(sessionId));
    const inline = message.files.filter((file) => 'bytes' in file);
    const files = await storeInlineFiles(this.store, inline);
    return this.turns.submit({
      sessionId,
      principal,
      message: message.text,
      clientMessageId: keptId(message.clientId),
      opts: agent === undefined ? opts : { ...opts, persona: agent },
      attachments: message.files.flatMap((file) => ('id' in file ? file.id : [])),
      files,
      content: message.content && withStored(message.content, files),
      clientTurns: await this.#storeFiles(isFirst ? history() : earlier),
      ...(history === undefined ? {} : { clientTurnsOnlyIfEmpty: true }),
      wireMode: 'direct',
      ...rest,
      asAgent: agent !== undefined,
    });
  }

  async #hasTurns(sessionId: string): Promise<boolean> {
    const { id } = turns;
    const found = await this.db
      .select({ id })
      .from(turns)
      .where(eq(turns.sessionId, sessionId))
      .limit(1);
    return found.length > 0;
  }

  async #storeFiles(earlier: readonly ClientTurn<WireFile>[]): Promise<ClientTurn[]> {
    const turns: ClientTurn[] = [];
    for (const { content, clientId, ...rest } of earlier) {
      const files = content.filter((one) => typeof one === 'object' && 'bytes' in one);
      const stored = await storeInlineFiles(this.store, files);
      turns.push({
        content: withStored(content, stored),
        ...rest,
        ...compact({ clientId: keptId(clientId) }),
      });
    }
    return turns;
  }

  /** Asks for the end of a conversation's active turn; undefined where there is none. */
  async interrupt(
    sessionId: string,
    by: Actor,
  ): Promise<{ turnId: string; state: CancelState } | undefined> {
    try {
      return await this.turns.interrupt(sessionId, by);
    } catch (error) {
      if (isSessionMissing(error, 'NO_ACTIVE_TURN')) return undefined;
      throw error;
    }
  }

  /** Finds what a request answers. @throws see `matchAnswers`. */
  async match(sessionId: string, given: WireAnswers): Promise<MatchedAnswers | undefined> {
    const questions = await findQuestions(this.db, {
      sessionId,
      approvalIds: given.decisions.map(({ approvalId }) => approvalId),
      callIds: given.outputs.map(({ callId }) => callId),
    });
    return matchAnswers(questions, given);
  }

  /**
   * Stores all answers, or none; equal answers given again change nothing.
   *
   * @param beside stores more with them, unless they were given before.
   *
   * @throws TypedError FORBIDDEN_SCOPE 403 for an approval by a key that is not for them, APPROVAL_RESOLVED
   *   409, INVALID_REQUEST 400.
   */
  async give(
    { answers }: MatchedAnswers,
    caller: Principal,
    alsoStore?: (tx: Queryable) => Promise<void>,
  ): Promise<void> {
    // Approvals need their scope here as on the routes of the harness.
    const { scopes } = caller;
    const asksPeople = answers.some(({ approval }) => approval.kind !== 'client-tool');
    if (asksPeople && !scopes.includes('approvals')) throw forbiddenScope('approvals', scopes);
    const given = answers.map((one) => ({ approvalId: one.approval.id, given: one.given }));
    await this.answerer.answer({ answers: given, by: caller, alsoStore });
  }
}

/**
 * Submits to a session that `open` finds or creates. The session of a turn that is refused goes, if it was
 * created for that turn: no client knows it. A simultaneous request that had found it opens it again, once.
 *
 * @throws what `open` and `submit` throw.
 */
export async function beginSession<Submitted>({
  open,
  submit,
  remove,
}: {
  open(): Promise<FoundSession>;
  submit(sessionId: string): Promise<Submitted>;
  /** Removes a session. Throws nothing. */
  remove(sessionId: string): Promise<void>;
}): Promise<Submitted> {
  const begin = async (): Promise<Submitted> => {
    const { sessionId, isNew } = await open();
    try {
      return await submit(sessionId);
    } catch (error) {
      if (isNew) await remove(sessionId);
      throw error;
    }
  };
  try {
    return await begin();
  } catch (error) {
    if (!isSessionMissing(error, 'NO_SUCH_SESSION')) throw error;
  }
  return begin();
}

function withStored(
  content: readonly (string | WireFile)[],
  stored: readonly ReceivedFile[],
): ClientTurn['content'] {
  const next = stored.values();
  return content.map((one) => {
    if (typeof one === 'string' || 'id' in one) return one;
    return next.next().value ?? one.name;
  });
}

/** Whether a session is a principal's, and `more` holds. Text that is no session's id is the id of none. */
export async function isOwnSession(
  db: Database,
  { sessionId, principalId }: { sessionId: string; principalId: string },
  more?: SQL,
): Promise<boolean> {
  if (!isId('sess', sessionId)) return false;
  const found = await db
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(eq(sessions.id, sessionId), eq(sessions.principalId, principalId), more));
  return found.length > 0;
}

/**
 * The turn that a returning client follows: the session's active turn, or else the next held one.
 */
export async function findOpenTurn(db: Database, sessionId: string): Promise<TurnRow | undefined> {
  const isActive = inArray(turns.status, [...activeStatuses]);
  const [turn] = await db
    .select()
    .from(turns)
    .where(and(eq(turns.sessionId, sessionId), inArray(turns.status, [...unendedStatuses])))
    .orderBy(sql`${isActive} desc`, asc(turns.createdAt), asc(turns.id))
    .limit(1);
  return turn;
}

/** The id under which a message goes back to its client; undefined: the server's. */
function keptId(clientId = ''): string | undefined {
  return clientId === '' || clientId.length > MAX_KEPT_ID_CHARS ? undefined : clientId;
}

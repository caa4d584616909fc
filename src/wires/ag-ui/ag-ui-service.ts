import type { ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../../access/face.js';
import { namesLike, PersonaLibrary } from '../../agents/face.js';
import { invalidRequest, isTypedError, type TypedError } from '../../errors/typed-error.js';
import { type FrameStream, streamTexts } from '../../http/face.js';
import { DATABASE, type Database } from '../../storage/face.js';
import {
  approvalNotFound,
  getTurn,
  loadHistoryOf,
  loadSessionTurns,
  sessionBusy,
  type SubmittedTurn,
  turnNotFound,
} from '../../turn/face.js';
import { Conversations, findOpenTurn, type WireMessage } from '../chat/conversations.js';
import {
  findAsked,
  findDecided,
  withSimultaneousAnswers,
  latestAnswers,
  type MatchedAnswers,
} from '../chat/questions.js';
import { TurnStreams } from '../chat/turn-streams.js';
import { formatFrame } from '../framing/face.js';
import type { AgUiRun } from './dialect/ag-ui-run.js';
import { agUiDialect } from './dialect/ag-ui.js';
import { lacksMessages, readRunInput, type RunInput } from './run-input.js';
import type { RunQueryDto } from './ag-ui.dto.js';
import { viewThread, viewLastTurn } from './thread-history.js';
import { toOldEvent, snapshotEvents, type IdleRun } from './dialect/ag-ui-frames.js';

/** A request for an agent. */
export interface RunCall {
  agent: string;
  principal: Principal;
  body: unknown;
  idempotencyKey: string | undefined;
}

/** A run, to be streamed. */
interface Run {
  agent: string;
  input: RunInput;
  sessionId: string;
}

/** Runs of the AG-UI protocol: a thread is a session, a run a segment of one of its turns. */
@Injectable()
export class AgUiService {
  constructor(
    private readonly conversations: Conversations,
    private readonly streams: TurnStreams,
    private readonly personas: PersonaLibrary,
    @Inject(DATABASE) private readonly db: Database,
  ) {}

  /**
   * Submits a turn, or answers a parked turn of the thread, and streams it until it waits or ends. A run that
   * brings neither reads the thread: a page that was reloaded.
   *
   * @throws TypedError INVALID_REQUEST and ATTACHMENT_FAILURE 400, FORBIDDEN 403, PERSONA_NOT_FOUND,
   *   SESSION_NOT_FOUND and APPROVAL_NOT_FOUND 404, APPROVAL_RESOLVED 409; those of `submit`.
   */
  async run(call: RunCall, response: ServerResponse): Promise<FrameStream> {
    const { conversations } = this;
    const { principal } = call;
    const input = await readRunInput(call.body);
    const { threadId: name, newMessage, answers, projectRoot } = input;
    const session = await conversations.find({ principal, name });
    const agent = await this.#nameOf(call.agent, session !== undefined);
    const [unknown] = session === undefined ? answers.decisions : [];
    if (unknown !== undefined) throw approvalNotFound(unknown.approvalId);
    const matched = session && (await conversations.match(session.id, answers));
    if (matched !== undefined) {
      const run = { agent, input, sessionId: matched.turn.sessionId };
      return this.#answer(call, run, matched, response);
    }
    if (input.isReading && session !== undefined) {
      return this.#read({ agent, input, sessionId: session.id }, response);
    }
    // In a thread that the server lacks, the model may go on from what the client's tools gave.
    const goesOn = session === undefined && answers.outputs.length > 0;
    const message = newMessage ?? (goesOn ? { text: '', files: [] } : undefined);
    if (message === undefined) throw nothingNew();
    const wanted = { principal, origin: 'ag-ui', name, persona: agent, projectRoot } as const;
    const { run, submitted } = await conversations.begin(wanted, async (sessionId) => {
      const run = { agent, input, sessionId };
      return { run, submitted: await this.#submit(call, run, message) };
    });
    return this.#stream(run, submitted, response);
  }

  /**
   * Resumes a run's stream after a cursor, or repeats it, also for an agent that has been removed
   * since.
   *
   * @throws TypedError TURN_NOT_FOUND 404, STREAM_EXPIRED 410, INVALID_REQUEST 400.
   */
  async resume(
    { agent, turnId, query }: { agent: string; turnId: string; query: RunQueryDto },
    cursor: string | undefined,
    response: ServerResponse,
  ): Promise<FrameStream> {
    const { db, streams } = this;
    const turn = await getTurn(db, turnId);
    const { sessionId, parentTurnId, options } = turn;
    const isItsTurn = namesLike(agent, [options.options.persona]).length > 0;
    if (parentTurnId !== null || !isItsTurn) throw turnNotFound(turnId);
    const address = parseRunAddress(query, { turnId, sessionId });
    const before = viewThread(await loadHistoryOf(db, turn), turnId);
    const run: AgUiRun = { ...address, turnId, before, state: { type: 'unknown' } };
    response.setHeader('X-Session-Id', sessionId);
    const frames = await streams.after(turnId, cursor, agUiDialect(run));
    response.setHeader('X-Turn-Id', turnId);
    return frames;
  }

  /**
   * The agent's name as its file spells it. In an existing thread, the agent may have been removed
   * since: the run may be a repetition, or answer a parked turn. A new turn is refused later.
   *
   * @throws TypedError PERSONA_NOT_FOUND 404.
   */
  async #nameOf(agent: string, hasThread: boolean): Promise<string> {
    try {
      return (await this.personas.load(agent)).name;
    } catch (error) {
      const isGone = isTypedError(error, 'PERSONA_NOT_FOUND');
      if (isGone && hasThread) return agent;
      throw error;
    }
  }

  #submit(
    { principal, idempotencyKey }: RunCall,
    { agent, input, sessionId }: Run,
    message: WireMessage,
    opts: Record<string, unknown> = {},
  ): Promise<SubmittedTurn> {
    const submitted = this.conversations.submit({
      sessionId,
      principal,
      message,
      agent,
      opts: { ...input.opts, ...opts },
      history: input.history,
      instructions: input.instructions,
      problems: input.problems,
      keepsFiles: input.keepsFiles && message.files.length === 0,
      idempotencyKey: idempotencyKey ?? `ag-ui:${input.runId}`,
      whenBusy: 'beside',
    });
    return submitted.catch((error: unknown) => {
      throw isTypedError(error, 'TURN_IN_PROGRESS') ? threadBusy() : error;
    });
  }

  async #stream(run: Run, turn: SubmittedTurn, response: ServerResponse): Promise<FrameStream> {
    const { db } = this;
    const { input, sessionId } = run;
    const sendsHistory = await lacksMessages(db, sessionId, input.messages);
    // The history includes the run's own message, under the server's id: the client would keep a
    // copy of its own before the messages that it lacks.
    const before = sendsHistory
      ? viewThread(await loadSessionTurns(db, sessionId), turn.turnId)
      : input.messages;
    const { turnId, disposition } = turn;
    // Events before a steered message are in an earlier run of the client; open questions are asked again.
    const steered = disposition.type === 'steered' ? [disposition.messageId] : [];
    const asked = steered.length === 0 ? [] : await findAsked(db, turnId);
    const wire = this.#wire(run, response, {
      turnId,
      answered: [...steered, ...asked],
      from: asked.length === 0 ? 'answers' : 'questions',
      before,
      sendsHistory,
    });
    response.setHeader('X-Turn-Id', turn.turnId);
    return this.streams.ofSubmitted(turn, wire);
  }

  /** The thread as it is: its turn that has not ended, from its start, or what all turns have come to. */
  async #read(run: Run, response: ServerResponse): Promise<FrameStream> {
    const { db, streams } = this;
    const { input, sessionId } = run;
    const open = await findOpenTurn(db, sessionId);
    const turns = await loadSessionTurns(db, sessionId);
    response.setHeader('X-Session-Id', sessionId);
    if (open === undefined) {
      const messages = viewThread(turns);
      return streamThread({ ...input, messages, last: viewLastTurn(turns) });
    }
    const wire = this.#wire(run, response, {
      turnId: open.id,
      answered: await findDecided(db, open.id),
      from: 'turn',
      before: viewThread(turns, open.id),
      sendsHistory: true,
    });
    const frames = await streams.after(open.id, undefined, wire);
    response.setHeader('X-Turn-Id', open.id);
    return frames;
  }

  async #answer(
    call: RunCall,
    run: Run,
    matched: MatchedAnswers,
    response: ServerResponse,
  ): Promise<FrameStream> {
    const { turn, asked } = matched;
    const { newMessage, messages: before } = run.input;
    // A turn that has ended takes no answers: the client goes on from it with its new message.
    if (newMessage === undefined || turn.endedAt === null) {
      await this.conversations.give(matched, call.principal);
    }
    if (newMessage !== undefined) {
      // A message beside the answers reaches the model together with them; one with files, after the turn.
      const onBusy = newMessage.files.length === 0 ? 'steer' : 'enqueue';
      const submitted = await this.#submit(call, run, newMessage, { onBusy });
      if (submitted.turnId !== turn.id) return this.#stream(run, submitted, response);
    }
    const answered = await withSimultaneousAnswers(this.db, latestAnswers(asked));
    const from = 'answers';
    const segment = { turnId: turn.id, answered, from, before, sendsHistory: false } as const;
    const wire = this.#wire(run, response, segment);
    const frames = await this.streams.after(turn.id, undefined, wire);
    response.setHeader('X-Turn-Id', turn.id);
    return frames;
  }

  /** The dialect of a run; names it in the answer's headers. */
  #wire(
    { agent, input, sessionId }: Run,
    response: ServerResponse,
    segment: Pick<AgUiRun, 'turnId' | 'answered' | 'from' | 'before' | 'sendsHistory'>,
  ) {
    const { threadId, runId, isOld, state: value } = input;
    const address = { threadId, runId, isOld, ...segment };
    response.setHeader('X-Session-Id', sessionId);
    response.setHeader('Location', runUrl(agent, address));
    return agUiDialect({ ...address, state: { type: 'known', value } });
  }
}

/** The parts of a run's address: enough for any reader to go on with its stream. */
export type RunAddress = Pick<
  AgUiRun,
  'threadId' | 'runId' | 'answered' | 'from' | 'sendsHistory' | 'isOld'
>;

/** The address of a run's stream: its `Location`. */
function runUrl(
  agent: string,
  { threadId, runId, turnId, answered, from, sendsHistory, isOld }: RunAddress & { turnId: string },
): string {
  const query = new URLSearchParams({ thread: threadId, run: runId });
  if (answered.length > 0) query.set('answers', answered.join(','));
  if (from !== 'answers') query.set('from', from);
  if (sendsHistory) query.set('history', '1');
  if (isOld) query.set('old', '1');
  return `/agent/${encodeURIComponent(agent)}/ag-ui/${turnId}?${query.toString()}`;
}

/** @param sessionId of the turn: its thread where none is named. */
function parseRunAddress(
  { thread, run, answers, from, history, old }: RunQueryDto,
  { turnId, sessionId }: { turnId: string; sessionId: string },
): RunAddress {
  return {
    threadId: thread ?? sessionId,
    runId: run ?? turnId,
    answered: answers?.split(',') ?? [],
    from: from === 'turn' || from === 'questions' ? from : 'answers',
    sendsHistory: history === '1',
    isOld: old === '1',
  };
}

/** The stream of a run that reads a thread. Its frames have no ids: they are made anew each time. */
function streamThread(run: IdleRun & { isOld: boolean }): FrameStream {
  const events = snapshotEvents(run).map((event) => (run.isOld ? toOldEvent(event) : event));
  const frames = events.map((event) => formatFrame({ data: JSON.stringify(event) }));
  return streamTexts(async function* () {
    yield* frames;
  });
}

function threadBusy(): TypedError {
  return sessionBusy(
    "Another run of this thread has not ended. Answer its interrupts with 'resume', wait for its end, or send this one with forwardedProps.turnpike.opts.onBusy 'interrupt', which ends it first.",
  );
}

function nothingNew(): TypedError {
  return invalidRequest(
    "There is nothing new in the run. Send one of: a user message after the assistant's last one; 'resume' entries for its interrupts; a tool message with the output of one of your tools that it waits for",
  );
}

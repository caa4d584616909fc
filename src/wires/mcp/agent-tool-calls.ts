import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Owners, type Principal } from '../../access/face.js';
import { DEFAULT_PERSONA, PersonaLibrary } from '../../agents/face.js';
import { type Clock, CLOCK, compact, type JsonObject, withDeadline } from '../../platform/face.js';
import { sessionNotFound } from '../../session/face.js';
import { DATABASE, type Database } from '../../storage/face.js';
import {
  type ApprovalRow,
  AwaitedApprovals,
  type AwaitedProgress,
  describeProgress,
  turnNotFound,
  TurnService,
} from '../../turn/face.js';
import { Conversations } from '../chat/conversations.js';
import { answerInput, awaitedApprovals, loadTreeApprovals } from '../chat/questions.js';
import { resultFold, type TurnResult } from '../harness/dialect/harness-result.js';
import type { AgentToolInput } from './agent-tools.js';

/** What a turn waits for a person to say. */
export interface TurnQuestion {
  approvalId: string;
  /** The tool that the agent wants to call. */
  tool: string;
  input: JsonObject;
  reason: string;
  /** ISO 8601; what is decided then is the server's setting. */
  expiresAt: string;
  /** Who decides, in words, and who is still missing. */
  whoDecides: string;
  /** Whether an answer of the caller is awaited. */
  isAwaitingMe: boolean;
  /** Where people with a role decide: all of these quorums. */
  awaits?: AwaitedProgress['awaits'];
  /** With `awaits`: the answers so far, in the order they came. */
  answers?: AwaitedProgress['answers'];
  /** What the call itself asks. Absent: whether it may run. */
  question?: JsonObject;
}

/** An answer to a question of a turn. */
export interface AnswerToTurn extends Pick<
  AgentToolInput<'answer_turn'>,
  'approvalId' | 'message'
> {
  /** `answer`: to what the call itself asks. */
  decision: AgentToolInput<'answer_turn'>['decision'] | 'answer';
  content?: unknown;
}

/** Where a turn stands, for the client of `POST /mcp`. */
export type TurnStanding = { turnId: string; sessionId: string } & (
  | { status: 'running' }
  | { status: 'input_required'; questions: readonly TurnQuestion[] }
  | { status: TurnResult['outcome']; result: TurnResult }
);

/** The caller of a tool, and how long its call lives. */
export interface AgentCall {
  principal: Principal;
  /** Aborts when the client leaves or cancels. */
  signal: AbortSignal;
}

const MCP_SESSION = 'mcp';

/** Turns of a caller's agents, as the tools of `POST /mcp` run them. Each call is complete in itself: any process serves the next. */
@Injectable()
export class AgentToolCalls {
  constructor(
    private readonly turns: TurnService,
    private readonly conversations: Conversations,
    private readonly personas: PersonaLibrary,
    private readonly owners: Owners,
    private readonly awaited: AwaitedApprovals,
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async listAgents({ agents: allowed }: Principal) {
    const all = await this.personas.agents();
    return all
      .filter(({ name }) => allowed?.includes(name) ?? true)
      .map(({ name, description }) => ({ name, description }));
  }

  /** @throws what a turn of `POST /api/harness/turn` is refused with. */
  async start(input: AgentToolInput<'start_turn'>, call: AgentCall): Promise<TurnStanding> {
    const { message, agent, sessionId, idempotencyKey, waitSeconds } = input;
    const { principal } = call;
    const submit = async (session: string) => {
      const submitted = await this.turns.submit({
        sessionId: session,
        principal,
        message,
        opts: compact({ persona: agent }),
        attachments: [],
        idempotencyKey,
        whenBusy: 'after-stopped',
        wireOnDisconnect: 'continue',
        asAgent: agent !== undefined,
      });
      return { turnId: submitted.turnId, sessionId: session };
    };
    if (sessionId !== undefined) {
      if ((await this.owners.find('session', sessionId)) !== principal.id) {
        throw sessionNotFound(sessionId);
      }
      return this.#wait(await submit(sessionId), { seconds: waitSeconds }, call);
    }
    const begun = await this.conversations.begin(
      {
        principal,
        // A call that is made again finds the session of the first by its key.
        name: `${MCP_SESSION}:${idempotencyKey ?? randomUUID()}`,
        origin: MCP_SESSION,
        persona: agent ?? DEFAULT_PERSONA,
        projectRoot: undefined,
      },
      submit,
    );
    return this.#wait(begun, { seconds: waitSeconds }, call);
  }

  /** @throws TypedError TURN_NOT_FOUND 404, STREAM_EXPIRED 410. */
  async read({ turnId, waitSeconds }: AgentToolInput<'read_turn'>, call: AgentCall) {
    const wait = { seconds: waitSeconds, forOthers: true };
    return this.#wait(await this.#own(turnId, call.principal), wait, call);
  }

  /** @throws TypedError TURN_NOT_FOUND, APPROVAL_NOT_FOUND 404, APPROVAL_RESOLVED 409, FORBIDDEN_SCOPE 403. */
  async answer(input: AgentToolInput<'answer_turn'>, call: AgentCall): Promise<TurnStanding> {
    const { turnId, waitSeconds, ...answer } = input;
    return this.resume({ turnId, waitSeconds, answers: [answer] }, call);
  }

  /** Stores the answers of a person, all or none, and waits. @throws as `answer`. */
  async resume(
    {
      turnId,
      answers,
      waitSeconds,
    }: AgentToolInput<'read_turn'> & {
      answers: readonly AnswerToTurn[];
    },
    call: AgentCall,
  ): Promise<TurnStanding> {
    const { principal } = call;
    const turn = await this.#own(turnId, principal);
    const decisions = answers.map(({ approvalId, decision, message, content }) => ({
      approvalId,
      given: answerInput(decision, { message, content }),
    }));
    const given = { decisions, outputs: [] };
    const matched = await this.conversations.match(turn.sessionId, given);
    if (matched !== undefined) await this.conversations.give(matched, principal);
    return this.#wait(turn, { seconds: waitSeconds }, call);
  }

  /** @throws TypedError TURN_NOT_FOUND 404. */
  async cancel({ turnId }: AgentToolInput<'cancel_turn'>, { principal }: AgentCall) {
    const turn = await this.#own(turnId, principal);
    return { ...turn, status: await this.turns.interruptTurn(turnId, principal) };
  }

  async #own(turnId: string, { id }: Principal) {
    if ((await this.owners.find('turn', turnId)) !== id) throw turnNotFound(turnId);
    const { sessionId } = await this.turns.get(turnId);
    return { turnId, sessionId };
  }

  /**
   * Waits for the turn's end, or for a question that is open.
   *
   * @param wait `forOthers`: a question that does not await the caller is shown when the time is over.
   */
  async #wait(
    turn: { turnId: string; sessionId: string },
    { seconds, forOthers = false }: { seconds: number; forOthers?: boolean },
    { signal, principal }: AgentCall,
  ): Promise<TurnStanding> {
    const asking = (questions: readonly TurnQuestion[]): TurnStanding => ({
      ...turn,
      status: 'input_required',
      questions,
    });
    return withDeadline(
      this.clock,
      { ms: seconds * 1_000, outer: signal },
      async (within): Promise<TurnStanding> => {
        for (let answered = 0; ; answered += 1) {
          const seen = await this.#follow(turn, answered, within);
          if (seen === 'parked') {
            const questions = await this.#openQuestions(turn.turnId, principal);
            const isOwn = questions.some(({ isAwaitingMe }) => isAwaitingMe);
            if (isOwn || (questions.length > 0 && !forOthers)) return asking(questions);
          } else if (seen === undefined) {
            const questions = await this.#openQuestions(turn.turnId, principal);
            return questions.length > 0 ? asking(questions) : { ...turn, status: 'running' };
          } else return { ...turn, status: seen.outcome, result: seen };
        }
      },
    );
  }

  /**
   * Follows a turn to its end, or to a question after those that were answered.
   *
   * @returns undefined where the signal aborted first.
   */
  async #follow(
    turn: { turnId: string; sessionId: string },
    answered: number,
    signal: AbortSignal,
  ): Promise<TurnResult | 'parked' | undefined> {
    const { initial, next, end } = resultFold(turn);
    let state = initial;
    let parks = 0;
    let seen: TurnResult | 'parked' | undefined;
    await this.turns.follow(await this.turns.findRest(turn.turnId, undefined), signal, (events) => {
      for (const event of events) {
        state = next(state, event);
        if (event.type === 'turn.ended') seen = end(state, event);
        else if (awaitedApprovals(event).length > 0 && ++parks > answered) seen = 'parked';
        if (seen !== undefined) return true;
      }
      return false;
    });
    return seen;
  }

  async #openQuestions(turnId: string, caller: Principal): Promise<TurnQuestion[]> {
    const all = await loadTreeApprovals(this.db, turnId);
    const open = all.filter(({ decision }) => decision === null);
    const progress = await this.awaited.progressOfOwn(open, caller);
    return open.map((approval, index) => describeQuestion(approval, progress[index], caller));
  }
}

function describeQuestion(
  { id: approvalId, name: tool, input, reason, question, ...approval }: ApprovalRow,
  progress: AwaitedProgress | undefined,
  { scopes }: Principal,
): TurnQuestion {
  const expiresAt = approval.expiresAt.toISOString();
  const { awaits = [], isAwaitingMe = true } = progress ?? {};
  const people = awaits.map(describeProgress).join('; and ');
  return {
    approvalId,
    tool,
    input,
    reason,
    expiresAt,
    whoDecides: people === '' ? 'the person who started the turn' : people,
    ...progress,
    ...(question !== null && { question }),
    isAwaitingMe: isAwaitingMe && scopes.includes('approvals'),
  };
}

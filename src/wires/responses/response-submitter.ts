import { createHash, randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../../access/principal.js';
import { isTypedError } from '../../errors/typed-error.js';
import { compact } from '../../platform/compact.js';
import { LONGEST_NAME } from '../../session/named-session.js';
import { DEFAULT_PERSONA } from '../../agents/persona-name.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { SessionForker } from '../../turn/branches/session-forker.js';
import { findTurnByKey } from '../../turn/state/turn-lookup.js';
import type { StoredBeside, SubmittedTurn } from '../../turn/submit/turn-submission.js';
import { Conversations } from '../conversation/conversations.js';
import { ModelChooser, type ChosenModel } from './model-chooser.js';
import type { ItemAnswer } from './read-item.js';
import type { ResponseRequest } from './read-request.js';
import { ResponseLookup, type FoundResponse } from './response-lookup.js';
import {
  badParam,
  notTheLast,
  otherTurn,
  outputsMissing,
  responseBusy,
} from './responses-errors.js';

/** Two weeks: a conversation is deleted that was not used for so long. */
const KEPT_MS = 1_209_600_000;

export interface ResponseCall {
  asked: ResponseRequest;
  principal: Principal;
  idempotencyKey: string | undefined;
}

export interface MadeResponse {
  found: FoundResponse;
  submitted: SubmittedTurn;
}

interface Destination {
  model: ChosenModel;
  sessionId: string;
  beside?: StoredBeside;
}

/** Another turn is the conversation's last one: nothing was stored. */
class WentOn extends Error {}

type MessageInput = Extract<ResponseRequest['input'], { type: 'message' }>;

/** Requests for responses as turns, or as answers to turns. */
@Injectable()
export class ResponseSubmitter {
  constructor(
    private readonly conversations: Conversations,
    private readonly lookup: ResponseLookup,
    private readonly models: ModelChooser,
    private readonly forker: SessionForker,
    @Inject(DATABASE) private readonly db: Database,
  ) {}

  /** @throws TypedError of each check; those of `TurnService.submit`. */
  submit(call: ResponseCall): Promise<MadeResponse> {
    const { input } = call.asked;
    return input.type === 'answers' ? this.#answer(call, input.answers) : this.#say(call, input);
  }

  /** A message of the user begins a turn. */
  async #say(call: ResponseCall, input: MessageInput): Promise<MadeResponse> {
    const { asked, principal } = call;
    const { previous } = asked;
    const before = previous && (await this.lookup.get(previous, principal, 'previous_response_id'));
    const model = await this.models.choose(asked.model, before?.turn);
    const submitted =
      before === undefined
        ? await this.#begin(call, input, model)
        : await this.#goOn(call, input, { model, before });
    return { submitted, found: await this.lookup.first(submitted.turnId, principal) };
  }

  /** Begins a conversation. Its name is made of the key: a repeat finds it. */
  async #begin(
    call: ResponseCall,
    input: MessageInput,
    model: ChosenModel,
  ): Promise<SubmittedTurn> {
    const { principal, idempotencyKey: key = randomUUID() } = call;
    const whole = `response:${key}`;
    const digest = createHash('sha256').update(key).digest('hex');
    const name = whole.length > LONGEST_NAME ? `response:${digest}` : whole;
    const persona = model.agent ?? DEFAULT_PERSONA;
    const wanted = {
      principal,
      origin: 'responses',
      name,
      persona,
      projectRoot: undefined,
    } as const;
    return this.conversations.begin({ ...wanted, expiresAfterMs: KEPT_MS }, (sessionId) =>
      this.#send(call, input, { model, sessionId }),
    );
  }

  /** Goes on from a response: in its conversation, or in a fork of it where that has gone on already. */
  async #goOn(
    call: ResponseCall,
    input: MessageInput,
    { model, before }: { model: ChosenModel; before: FoundResponse },
  ): Promise<SubmittedTurn> {
    const { idempotencyKey, principal } = call;
    const { turn, response, last, approvals } = before;
    const { sessionId } = turn;
    if (response.id !== last.id) throw notTheLast(response.id, last.id);
    const open = approvals.filter(({ decision }) => decision === null);
    if (open.length > 0) throw outputsMissing(open.map(({ id, name }) => `${id} (${name})`));
    const known = idempotencyKey && (await findTurnByKey(this.db, sessionId, idempotencyKey));
    if (known || (await this.lookup.isLast(turn))) {
      const submitted = await this.#sendAfter(call, input, { model, sessionId, before });
      if (submitted !== 'went-on') return submitted;
    }
    // Forks of other requests have other keys: where this one is refused, its fork can go.
    const key = idempotencyKey && `response:${idempotencyKey}`;
    const point = { turnId: turn.id, position: 'after', idempotencyKey: key } as const;
    const fork = async () => {
      const { session } = await this.forker.fork(sessionId, point);
      return { sessionId: session.sessionId, isNew: true };
    };
    return this.conversations.beginIn(fork, principal, (forkId) =>
      this.#send(call, input, { model, sessionId: forkId }),
    );
  }

  /** Sends a message to a conversation, unless another turn has come between meanwhile. */
  async #sendAfter(
    call: ResponseCall,
    input: MessageInput,
    { before, ...to }: Destination & { before: FoundResponse },
  ): Promise<SubmittedTurn | 'went-on'> {
    const store = async (tx: Queryable): Promise<void> => {
      if (!(await this.lookup.isLast(before.turn, tx))) throw new WentOn();
    };
    try {
      return await this.#send(call, input, { ...to, beside: { store } });
    } catch (error) {
      if (error instanceof WentOn) return 'went-on';
      throw isTypedError(error, 'TURN_IN_PROGRESS') ? responseBusy(before.response.id) : error;
    }
  }

  #send(
    { asked, principal, idempotencyKey }: ResponseCall,
    { message }: MessageInput,
    { model, sessionId, beside }: Destination,
  ): Promise<SubmittedTurn> {
    return this.conversations.submit({
      sessionId,
      principal,
      message,
      agent: model.agent,
      opts: model.model === undefined ? asked.opts : { ...asked.opts, model: model.model },
      idempotencyKey,
      needsAllFiles: true,
      responses: { ...asked.stored, model: model.name },
      ...compact({ beside }),
    });
  }

  /** Answers to what a response asked: its turn goes on. */
  async #answer(
    { asked, principal }: ResponseCall,
    answers: readonly ItemAnswer[],
  ): Promise<MadeResponse> {
    const { lookup, conversations } = this;
    const [first] = answers;
    if (first === undefined) throw badParam('input', 'There are no answers');
    const turn = await lookup.findAsking(first.approvalId, principal);
    if (turn === undefined) {
      throw badParam(
        first.field,
        `'${first.field}' is no call or approval that a response of yours asked for`,
      );
    }
    if (asked.previous !== undefined && asked.previous.turnId !== turn.id) {
      throw otherTurn('previous_response_id');
    }
    const before = await lookup.first(turn.id, principal);
    const given = new Set(answers.map(({ approvalId }) => approvalId));
    const left = before.approvals.filter(({ id, decision }) => decision === null && !given.has(id));
    if (left.length > 0) throw outputsMissing(left.map(({ id, name }) => `${id} (${name})`));
    const matched = await conversations.match(turn.sessionId, { decisions: answers, outputs: [] });
    if (matched === undefined || matched.turn.id !== turn.id) throw otherTurn('input');
    await conversations.give(matched, principal);
    const found = await lookup.ofAnswer(turn, first.approvalId);
    return { found, submitted: repeated(found) };
  }
}

/** A turn that was there before, as a reader follows it. */
export function repeated({ turn }: FoundResponse): SubmittedTurn {
  const { onDisconnect } = turn.options.options;
  return { turnId: turn.id, onDisconnect, disposition: { type: 'repeated' } };
}

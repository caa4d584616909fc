import { createHash, randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../../access/face.js';
import { CONFIG, type Config } from '../../config/config.js';
import { isTypedError } from '../../errors/typed-error.js';
import { compact, isSameJson } from '../../platform/face.js';
import { MAX_SESSION_NAME_CHARS } from '../../session/face.js';
import { DEFAULT_PERSONA } from '../../agents/face.js';
import {
  DATABASE,
  type Database,
  type Queryable,
  type StoredResponsesRequest,
} from '../../storage/face.js';
import {
  type ExtraWrites,
  findTurnByKey,
  idempotencyKeyReused,
  SessionForker,
  type SubmittedTurn,
  TurnService,
} from '../../turn/face.js';
import { Conversations } from '../chat/conversations.js';
import { joinPieces, type InlineFile } from '../chat/inline-files.js';
import {
  historyDigests,
  textOf,
  splitInput,
  type HistoryDigest,
  type KnownItem,
  type SplitInput,
  keepInput,
} from './input-items.js';
import {
  findKnownPart,
  findRepeatedTurn,
  isLastTurn,
  withoutCutReply,
} from './find-conversation.js';
import { ModelChooser, type ChosenModel } from './models.controller.js';
import { answerQuestions, type MadeResponse, type ResponseCall } from './answer-questions.js';
import { repeated, ResponseLookup, type FoundResponse } from './response-lookup.js';
import { defaultEchoedRequest, describeInstructions, notesIn } from './response-description.js';
import { badParam, notTheLast, outputsMissing, responseBusy } from './responses-errors.js';

/** Two weeks: a conversation is deleted that was not used for so long. */
const KEPT_MS = 1_209_600_000;

/** What a request says, and where it goes on. */
interface Message extends SplitInput {
  /** The items of the input. */
  items: readonly KnownItem[];
  /** Digest of the whole conversation; undefined: the client sent a part of it. */
  clientHistory: string | undefined;
  /** The response that it goes on from; undefined: it begins a conversation. */
  before: FoundResponse | undefined;
  /** Whether the client named that response. */
  isNamed: boolean;
  /** The turn whose place the earlier ones take, and the conversation where it is gone on from meanwhile. */
  replaced?: { turnId: string; whole: SplitInput };
}

interface Destination {
  model: ChosenModel;
  sessionId: string;
  extraWrites?: ExtraWrites;
}

/** Another turn is the conversation's last one: nothing was stored. */
class ConversationMoved extends Error {}

/** Requests for responses as turns, or as answers to turns. */
@Injectable()
export class ResponseSubmitter {
  constructor(
    private readonly conversations: Conversations,
    private readonly lookup: ResponseLookup,
    private readonly models: ModelChooser,
    private readonly forker: SessionForker,
    private readonly turns: TurnService,
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'maxMessageChars'>,
  ) {}

  /** @throws TypedError of each check; those of `TurnService.submit`. */
  async submit(call: ResponseCall): Promise<MadeResponse> {
    const { conversations, lookup, models, turns, db } = this;
    const { asked, principal } = call;
    const resolved = await lookup.resolve(asked.items, principal);
    const items =
      asked.previous === undefined ? await withoutCutReply(db, principal.id, resolved) : resolved;
    const answered = await answerQuestions(
      { conversations, lookup, models, turns, db },
      call,
      items,
    );
    if (answered !== undefined) return answered;
    const repeat = await this.#findRepeat(call, items);
    if (repeat !== undefined) return repeat;
    const message = await this.#readMessage(call, items);
    const model = await models.choose(asked.model, message.before?.turn, principal.agents);
    const submitted =
      message.before === undefined
        ? await this.#begin(call, message, model)
        : await this.#goOn(call, message, { model, before: message.before });
    return { submitted, found: await lookup.first(submitted.turnId, principal) };
  }

  /** The response to an earlier request with the same key, of a conversation that its client sends whole. */
  async #findRepeat(
    { asked, principal, idempotencyKey }: ResponseCall,
    items: readonly KnownItem[],
  ): Promise<MadeResponse | undefined> {
    const places = historyDigests(items);
    const last = places.at(-1);
    if (idempotencyKey === undefined || asked.previous !== undefined) return undefined;
    if (last === undefined || places.length === 1) return undefined;
    const { digest } = last;
    const sent = { principalId: principal.id, digest, idempotencyKey };
    const turn = await findRepeatedTurn(this.db, sent);
    if (turn === undefined) return undefined;
    const { responses } = turn.request;
    const isSame = Object.entries({ ...defaultEchoedRequest, ...asked.given }).every(
      ([name, value]) => isSameJson(responses?.[name as keyof typeof responses], value),
    );
    if (!isSame) throw idempotencyKeyReused(turn.id);
    const found = await this.lookup.first(turn.id, principal);
    return { found, submitted: repeated(found) };
  }

  async #readMessage(
    { asked, principal }: ResponseCall,
    items: readonly KnownItem[],
  ): Promise<Message> {
    const whole = splitInput(items);
    const { previous } = asked;
    const message =
      previous === undefined
        ? await this.#findKnown(principal, items, whole)
        : {
            ...whole,
            before: await this.lookup.get(previous, principal, 'previous_response_id'),
            isNamed: true,
            clientHistory: undefined,
          };
    const { maxMessageChars: most } = this.config;
    const chars = textOf(message.content).length;
    if (chars <= most) return { ...message, items };
    throw badParam(
      'input',
      `The new message of 'input' has ${chars} characters, and a message may have ${most} (TURNPIKE_MAX_MESSAGE_CHARS): send its text as an input_file`,
    );
  }

  /** The conversation that the client sends again, as far as the server has it. */
  async #findKnown(
    { id }: Principal,
    items: readonly KnownItem[],
    whole: SplitInput,
  ): Promise<Omit<Message, 'items'>> {
    const places = historyDigests(items);
    const isNew = whole.content.length > 0;
    const earlier: HistoryDigest[] = isNew ? places.slice(0, -1) : places;
    const known = await findKnownPart(this.db, id, items, earlier);
    const clientHistory = isNew ? places.at(-1)?.digest : undefined;
    const of = { clientHistory, isNamed: false };
    if (known === undefined || known.next >= items.length) {
      return { ...whole, ...of, before: undefined };
    }
    const before = await this.lookup.lastOf(known.turn);
    const rest = { ...splitInput(items.slice(known.next)), ...of, before };
    return known.isReworded ? { ...rest, replaced: { turnId: known.turn.id, whole } } : rest;
  }

  /** Begins a conversation. Its name is made of the key: a repeat finds it. */
  async #begin(call: ResponseCall, message: Message, model: ChosenModel): Promise<SubmittedTurn> {
    const { principal, idempotencyKey: key = randomUUID() } = call;
    const whole = `response:${key}`;
    const digest = createHash('sha256').update(key).digest('hex');
    const name = whole.length > MAX_SESSION_NAME_CHARS ? `response:${digest}` : whole;
    const persona = model.agent ?? DEFAULT_PERSONA;
    const wanted = {
      principal,
      origin: 'responses',
      name,
      persona,
      projectRoot: undefined,
    } as const;
    return this.conversations.begin({ ...wanted, expiresAfterMs: KEPT_MS }, (sessionId) =>
      this.#send(call, message, { model, sessionId }),
    );
  }

  /** Goes on from a response: in its conversation, or in a fork of it where that has gone on already. */
  async #goOn(
    call: ResponseCall,
    message: Message,
    { model, before }: { model: ChosenModel; before: FoundResponse },
  ): Promise<SubmittedTurn> {
    const { idempotencyKey, principal } = call;
    const { turn, response, last, approvals } = before;
    const { sessionId } = turn;
    if (response.id !== last.id) throw notTheLast(response.id, last.id);
    const open = approvals.filter(({ decision }) => decision === null);
    if (open.length > 0) throw outputsMissing(open.map(({ id, name }) => `${id} (${name})`));
    const known = idempotencyKey && (await findTurnByKey(this.db, sessionId, idempotencyKey));
    if (known || (await isLastTurn(this.db, turn))) {
      const submitted = await this.#sendAfter(call, message, { model, sessionId, before });
      if (submitted !== 'moved') return submitted;
    }
    if (message.replaced !== undefined) {
      const { replaced, ...rest } = message;
      return this.#begin(call, { ...rest, ...replaced.whole, before: undefined }, model);
    }
    // Forks of other requests have other keys: where this one is refused, its fork can go.
    const key = idempotencyKey && `response:${idempotencyKey}`;
    const { credential } = principal;
    const point = { turnId: turn.id, credential, position: 'after', idempotencyKey: key } as const;
    const fork = async () => {
      const { session } = await this.forker.fork(sessionId, point);
      return { sessionId: session.sessionId, isNew: true };
    };
    return this.conversations.beginIn(fork, principal, (forkId) =>
      this.#send(call, message, { model, sessionId: forkId }),
    );
  }

  /** Sends a message to a conversation, unless another turn has come between meanwhile. */
  async #sendAfter(
    call: ResponseCall,
    message: Message,
    { before, ...to }: Destination & { before: FoundResponse },
  ): Promise<SubmittedTurn | 'moved'> {
    const verify = async (tx: Queryable): Promise<void> => {
      if (!(await isLastTurn(tx, before.turn))) throw new ConversationMoved();
    };
    try {
      return await this.#send(call, message, { ...to, extraWrites: { verify } });
    } catch (error) {
      if (error instanceof ConversationMoved) return 'moved';
      if (!isTypedError(error, 'TURN_IN_PROGRESS')) throw error;
      // A client that sends its conversation whole knows of no other request: it gets a line of its own.
      if (!message.isNamed && before.turn.endedAt !== null) return 'moved';
      throw responseBusy(before.response.id);
    }
  }

  #send(
    { asked, principal, idempotencyKey }: ResponseCall,
    message: Message,
    { model, sessionId, extraWrites }: Destination,
  ): Promise<SubmittedTurn> {
    const { earlier, content, items, clientHistory, before, isNamed, replaced } = message;
    const carried = isNamed ? (before?.turn.request.responses?.developer ?? []) : [];
    const developer = [...carried, ...notesIn(items)];
    const terms = { ...defaultEchoedRequest, ...asked.given };
    const responses: StoredResponsesRequest = {
      ...terms,
      ...(developer.length === 0 ? {} : { developer }),
      model: model.name,
      input: keepInput(items),
    };
    const named = model.model === undefined ? {} : { model: model.model };
    const opts = { ...asked.opts, ...named, replaces: replaced?.turnId };
    return this.conversations.submit({
      sessionId,
      principal,
      message: {
        ...joinPieces<InlineFile>(content),
        ...(content.length > 1 ? { content } : {}),
      },
      earlier,
      instructions: describeInstructions(responses),
      clientHistory,
      agent: model.agent,
      opts: compact(opts),
      idempotencyKey,
      needsAllFiles: true,
      responses,
      ...(responses.hidesApprovals === true ? { wireMode: 'dontAsk' as const } : {}),
      ...compact({ extraWrites }),
    });
  }
}

import { createHash } from 'node:crypto';
import type { Principal } from '../../access/face.js';
import { canonicalJson, compact, isId, isPlainObject } from '../../platform/face.js';
import type { Database, Queryable, StoredResponsesRequest } from '../../storage/face.js';
import {
  type AnswerInput,
  checkAnswerCount,
  loadTurns,
  type SubmittedTurn,
  type TurnRow,
  type TurnService,
} from '../../turn/face.js';
import type { Conversations } from '../chat/conversations.js';
import { answerInput } from '../chat/questions.js';
import { historyDigests, keepInput, textOf, withoutBlanks, type KnownItem } from './input-items.js';
import type { ModelChooser } from './models.controller.js';
import type { ResponseRequest } from './response-request.js';
import { requestWithTools, describeInstructions, notesIn } from './response-description.js';
import { repeated, type FoundResponse, type ResponseLookup } from './response-lookup.js';
import { badField, otherTurn, outputsMissing } from './responses-errors.js';

export interface ResponseCall {
  asked: ResponseRequest;
  principal: Principal;
  idempotencyKey: string | undefined;
}

export interface MadeResponse {
  found: FoundResponse;
  submitted: SubmittedTurn;
}

/** An item that answers a question of an earlier response. */
interface ItemAnswer {
  /** The question's id. */
  approvalId: string;
  given: AnswerInput;
  field: string;
}

/** A turn that asked, and what the items say to it. */
interface Answering {
  asking: FoundResponse;
  answers: readonly ItemAnswer[];
  /** Messages of the user that the turn does not have yet. */
  news: readonly Extract<KnownItem, { kind: 'user' }>[];
}

/** What answers need of the server. */
interface AnswerContext {
  conversations: Conversations;
  lookup: ResponseLookup;
  models: ModelChooser;
  turns: TurnService;
  db: Database;
}

/**
 * Answers what a response asked: its turn goes on, by the terms of the request that answers. Where other people are
 * awaited too, the response that asked is the answer again, until they have decided.
 *
 * @returns undefined where the items answer nothing that waits: they are a message.
 * @throws TypedError INVALID_REQUEST 400 where answers are missing, or are of another response than the named one.
 */
export async function answerQuestions(
  context: AnswerContext,
  call: ResponseCall,
  items: readonly KnownItem[],
): Promise<MadeResponse | undefined> {
  const { conversations, lookup } = context;
  const { asked, principal } = call;
  const answering = await findAnswered(context, call, items);
  if (answering === undefined) return undefined;
  const { asking, answers, news } = answering;
  const { turn, approvals } = asking;
  if (asked.previous !== undefined && asked.previous.turnId !== turn.id) {
    throw otherTurn('previous_response_id');
  }
  const given = new Set(answers.map(({ approvalId }) => approvalId));
  const left = approvals.filter(({ id, decision }) => decision === null && !given.has(id));
  if (left.length > 0) throw outputsMissing(left.map(({ id, name }) => `${id} (${name})`));
  const matched = await conversations.match(turn.sessionId, {
    decisions: answers,
    outputs: [],
  });
  if (matched === undefined || matched.turn.id !== turn.id) throw otherTurn('input');
  const alsoStore = await reviseTerms(context, call, items, answering);
  // First, so that the model has it together with the outputs.
  if (news.length > 0) await steerNews(conversations, call, answering);
  await conversations.give(matched, principal, alsoStore);
  const begun = answers.filter(({ approvalId }) =>
    approvals.some(({ id, decision }) => id === approvalId && decision === null),
  );
  const meant = begun.length > 0 ? begun : answers.slice(-1);
  const ids = meant.map(({ approvalId }) => approvalId);
  const found = await lookup.ofAnswers(turn.id, ids);
  return { found, submitted: repeated(found) };
}

async function findAnswered(
  { lookup, db }: AnswerContext,
  { asked, principal }: ResponseCall,
  items: readonly KnownItem[],
): Promise<Answering | undefined> {
  const given = items.flatMap((item) => answerIn(item) ?? []);
  checkAnswerCount(given.length);
  const last = given.at(-1);
  if (last === undefined) return undefined;
  const turn = await lookup.findAsking(last.approvalId, principal);
  if (turn === undefined) {
    if (isHistory(items, last)) return undefined;
    throw badField(last.field, 'is not a call or an approval that one of your responses asked for');
  }
  const asking = await lookup.lastOf(turn);
  const ids = new Set(asking.approvals.map(({ id }) => id));
  const answers = given.filter(({ approvalId }) => ids.has(approvalId));
  const after = items.slice(
    items.findLastIndex((item) => answerIn(item)?.approvalId === last.approvalId) + 1,
  );
  const isOld = after.some(
    (item) => item.kind === 'reply' || (item.kind === 'call' && !ids.has(item.call.callId)),
  );
  if (isOld) return undefined;
  const news = await findNews(db, turn, items, { ids, isNamed: asked.previous !== undefined });
  if (turn.endedAt === null) return { asking, answers, news };
  // A turn that has ended takes no more: the same answers again are its response, anything else goes on from it.
  const isCut = asking.approvals.some(
    ({ id, decision }) =>
      decision === 'cancelled' && answers.some(({ approvalId }) => approvalId === id),
  );
  const isWhole = items.some((item) => item.kind === 'call');
  return news.length > 0 || (isCut && isWhole) ? undefined : { asking, answers, news };
}

async function findNews(
  db: Database,
  turn: TurnRow,
  items: readonly KnownItem[],
  { ids, isNamed }: { ids: ReadonlySet<string>; isNamed: boolean },
): Promise<Answering['news']> {
  const own = historyDigests(items).find(({ digest }) => digest === turn.clientHistory);
  const firstOwn = items.findIndex((item) => ids.has(callOf(item) ?? ''));
  const at = own?.index ?? (isNamed ? -1 : firstOwn);
  const said = items.slice(at + 1).filter((item) => item.kind === 'user');
  const [stored] = turn.steeredMessages > 0 ? await loadTurns(db, [turn.id]) : [];
  let steered = withoutBlanks((stored?.steered ?? []).map(({ text }) => text).join(''));
  return said.filter((item) => {
    const text = withoutBlanks(textOf(item.content));
    const isKnown = text !== '' && steered.startsWith(text);
    if (isKnown) steered = steered.slice(text.length);
    return !isKnown;
  });
}

async function steerNews(
  conversations: Conversations,
  { principal, idempotencyKey }: ResponseCall,
  { asking, answers, news }: Answering,
): Promise<void> {
  const withFile = news.find(({ content }) => content.some((one) => typeof one !== 'string'));
  if (withFile !== undefined) {
    throw badField(
      withFile.field,
      'has a file, and a message beside outputs takes none: send the outputs first, and the file with the next message',
    );
  }
  const text = news.map(({ content }) => textOf(content)).join('\n\n');
  const ids = answers.map(({ approvalId }) => approvalId);
  const digest = createHash('sha256')
    .update(JSON.stringify([ids, text]))
    .digest('hex');
  await conversations.submit({
    sessionId: asking.turn.sessionId,
    principal,
    message: { text, files: [] },
    agent: undefined,
    opts: { onBusy: 'steer' },
    idempotencyKey: idempotencyKey ?? `response:${digest}`,
  });
}

/** @returns undefined where the request that answers leaves the turn's terms as they are. */
async function reviseTerms(
  { models, turns }: AnswerContext,
  { asked, principal }: ResponseCall,
  items: readonly KnownItem[],
  { asking, news }: Answering,
): Promise<((tx: Queryable) => Promise<void>) | undefined> {
  const { turn, approvals, response } = asking;
  const { responses, opts: before } = turn.request;
  const open = approvals.flatMap(({ id, decision }) => (decision === null ? id : []));
  if (responses === undefined || open.length === 0) return undefined;
  const { request: old, tools: oldTools } = requestWithTools(turn, response);
  const isNamed = asked.previous !== undefined;
  const developer = [...(isNamed ? (old.developer ?? []) : []), ...notesIn(items)];
  const model =
    asked.model === undefined
      ? undefined
      : await models.choose(asked.model, turn, principal.agents);
  const request: Omit<StoredResponsesRequest, 'answers'> = {
    ...old,
    ...asked.given,
    ...(developer.length === 0 ? {} : { developer }),
    model: model?.name ?? old.model,
    input: keepInput(items),
  };
  const opts = compact({
    ...(isPlainObject(before) ? before : {}),
    ...asked.opts,
    ...(model && { persona: model.agent, model: model.model }),
  });
  const isSame =
    canonicalJson([{ ...old, ...unlike }, before]) ===
    canonicalJson([{ ...request, ...unlike }, opts]);
  if (isSame && news.length === 0) return undefined;
  const tools = toolsIn(opts);
  const answer = { answered: open, request, tools };
  const stored = {
    ...responses,
    firstTools: responses.firstTools ?? [...oldTools],
    answers: [...(responses.answers ?? []), answer],
  };
  return turns.revise(turn, {
    opts,
    principal,
    instructions: describeInstructions(request),
    responses: stored,
    asAgent: typeof opts['persona'] === 'string',
    wireMode: request.hidesApprovals === true ? 'dontAsk' : 'direct',
  });
}

/** Fields in which requests differ whose terms are the same. */
const unlike = { input: [], previousResponseId: null, firstTools: undefined };

function toolsIn(opts: Record<string, unknown>): StoredTools {
  const { clientTools } = opts;
  return Array.isArray(clientTools) ? (clientTools as StoredTools) : [];
}

type StoredTools = NonNullable<StoredResponsesRequest['firstTools']>;

function answerIn(item: KnownItem): ItemAnswer | undefined {
  if (item.kind === 'approval') {
    const { approvalId, given, field } = item;
    return { approvalId, given, field: `${field}.approval_request_id` };
  }
  if (item.kind !== 'output' || !isId('appr', item.callId)) return undefined;
  const { callId, text, blocks = text, field } = item;
  const given = answerInput('answer', { output: blocks, isError: false });
  return { approvalId: callId, given, field: `${field}.call_id` };
}

/**
 * Whether the items are another conversation's history: they continue after an answer to a question that was not asked
 * here.
 */
function isHistory(items: readonly KnownItem[], { approvalId }: ItemAnswer): boolean {
  const at = items.findLastIndex((item) => answerIn(item)?.approvalId === approvalId);
  const hasCall = items.some((item) => item.kind === 'call' && item.call.callId === approvalId);
  return hasCall || items.slice(at + 1).some(({ kind }) => kind === 'user' || kind === 'reply');
}

function callOf(item: KnownItem): string | undefined {
  return item.kind === 'call' ? item.call.callId : answerIn(item)?.approvalId;
}

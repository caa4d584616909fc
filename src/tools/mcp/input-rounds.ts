import { ProtocolError } from '@modelcontextprotocol/client';
import { isLongJson, isPlainObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { CallWaits, SampleRefusedError, ToolFailure, type CallAnswer } from '../tool.js';
import { elicitResult, readElicitation } from './elicitation.js';

/** Rounds in which a server may ask for more before it answers a call. */
const MAX_ROUNDS = 10;
/** What a server may ask in a round. */
const MAX_REQUESTS = 10;
/** Characters of what a server gives a call to come back with. */
const MAX_STATE_CHARS = 262_144;
/** The error of the protocol before 2026-07-28 for a call that wants a page to be opened first. */
const PAGE_REQUIRED = -32_042;

/** A server that has answered a call with questions, and is called again with the answers. Kept as JSON. */
export type InputRound = {
  /** From 1. */
  round: number;
  /** Of the server that asked: no other one gets its state. */
  server: string;
  /** The server's own state, which it is given back as it came. Absent: it gave none. */
  requestState?: string;
  /** What it asks, by its own keys. */
  requests: JsonObject;
  /** The answers so far, by the same keys. */
  responses: JsonObject;
  /** The key that a person is asked about. Absent: none yet. */
  asking?: string;
  /** The server refused the call until a page was opened: it is called again as before. */
  isRefusal?: true;
};

/** A round that a call has kept. */
function readRound(state: JsonObject): InputRound {
  const { round, server, requestState, requests, responses, asking, isRefusal } = state;
  if (typeof round !== 'number' || typeof server !== 'string') {
    throw new Error('The state that a call kept is no round of questions');
  }
  return {
    round,
    server,
    requests: objectOf(requests),
    responses: objectOf(responses),
    ...(typeof requestState === 'string' && { requestState }),
    ...(typeof asking === 'string' && { asking }),
    ...(isRefusal === true && { isRefusal }),
  };
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

/** Answers what needs no person. @returns undefined where the request is not one that was offered. @throws ToolFailure. */
export type AnswerRequest = (method: string, params: JsonObject) => Promise<JsonObject | undefined>;

/** Who asks. */
export interface AskingServer {
  name: string;
  /** Its host; absent: it is a command of this host. */
  host?: string | undefined;
  /** What its state is bound to: the definition that it was reached by. */
  key: string;
}

/** The round that a server opens by its result. @throws ToolFailure for one that cannot be answered. */
export function openRound(
  server: AskingServer,
  result: Readonly<Record<string, unknown>>,
  before: InputRound | undefined,
): InputRound {
  const { inputRequests = {}, requestState } = result;
  const round = (before?.round ?? 0) + 1;
  if (round > MAX_ROUNDS) {
    throw failure(
      server,
      `has asked for more in ${MAX_ROUNDS} rounds, which is as often as it may`,
    );
  }
  const isTooMuch = isLongJson([inputRequests, requestState], MAX_STATE_CHARS);
  if (!isPlainObject(inputRequests) || isTooMuch) {
    throw failure(
      server,
      `asks in a form that cannot be read, or with more than ${MAX_STATE_CHARS} characters`,
    );
  }
  if (Object.keys(inputRequests).length > MAX_REQUESTS) {
    throw failure(server, `asks more than ${MAX_REQUESTS} questions at once`);
  }
  return {
    round,
    server: server.key,
    ...(typeof requestState === 'string' && { requestState }),
    // It came as JSON.
    requests: inputRequests as JsonObject,
    responses: {},
  };
}

/** The round of a server that wants pages to be opened before it takes the call; undefined for any other error. */
export function refusedRound(
  server: AskingServer,
  error: unknown,
  before: InputRound | undefined,
): InputRound | undefined {
  if (!(error instanceof ProtocolError)) return undefined;
  if (error.code !== PAGE_REQUIRED) return undefined;
  const asked = isPlainObject(error.data) ? error.data['elicitations'] : undefined;
  const listed: unknown[] = Array.isArray(asked) ? asked : [];
  const pages = listed
    .filter(isPlainObject)
    .map((params, index): [string, object] => [
      String(index),
      { method: 'elicitation/create', params: { ...params, mode: 'url' } },
    ]);
  if (pages.length === 0) return undefined;
  const round = openRound(server, { inputRequests: Object.fromEntries(pages) }, before);
  return { ...round, isRefusal: true };
}

/** The round that the call is in, with what its person has answered last; undefined: the server has not asked. */
export function resumeRound(
  server: AskingServer,
  answers: readonly CallAnswer[],
): InputRound | undefined {
  const last = answers.findLast(({ kind, state }) => kind === 'elicitation' && state !== undefined);
  if (last === undefined) return undefined;
  const round = readRound(last.state ?? {});
  if (round.server !== server.key) {
    throw failure(server, 'is another one than the one that asked: its definition was changed');
  }
  const { asking, ...rest } = round;
  if (asking === undefined) return round;
  if (round.isRefusal === true && last.action !== 'accept') {
    throw failure(
      server,
      'wants a page to be opened before it takes the call, and a person declined',
    );
  }
  return { ...rest, responses: { ...round.responses, [asking]: elicitResult(last) } };
}

/**
 * Answers what is open in a round: by itself where it can, otherwise by the person.
 *
 * @returns the round with all answers. @throws CallWaits for the person; ToolFailure.
 */
export async function finishRound(
  server: AskingServer,
  open: InputRound,
  answer: AnswerRequest,
): Promise<InputRound> {
  let round = open;
  for (const [key, request] of Object.entries(round.requests)) {
    if (Object.hasOwn(round.responses, key)) continue;
    const { method, params = {} } = isPlainObject(request) ? request : {};
    if (method === 'elicitation/create') {
      const asked = readElicitation(server, params);
      if ('fault' in asked) throw failure(server, `cannot be answered: ${asked.fault}`);
      const state = { ...round, asking: key };
      throw new CallWaits(asked, { state, executed: round.isRefusal !== true });
    }
    const known =
      typeof method === 'string' && isPlainObject(params)
        ? await answered(server, () => answer(method, params))
        : undefined;
    if (known === undefined) {
      const what = typeof method === 'string' ? method.slice(0, 100) : 'nothing';
      throw failure(server, `asks for what it was not offered (${what})`);
    }
    round = { ...round, responses: { ...round.responses, [key]: known } };
  }
  return round;
}

async function answered<T>(server: AskingServer, answer: () => Promise<T>): Promise<T> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof SampleRefusedError)) throw error;
    throw failure(server, `asked the model and got no answer: ${error.message}`);
  }
}

/** The parameters that a call is repeated with. */
export function paramsOfRound(round: InputRound | undefined): JsonObject {
  if (round === undefined || round.isRefusal === true) return {};
  const { requestState, responses } = round;
  return {
    ...(Object.keys(responses).length > 0 && { inputResponses: { ...responses } }),
    ...(requestState !== undefined && { requestState }),
  };
}

function failure({ name }: AskingServer, what: string): ToolFailure {
  return new ToolFailure(
    `The MCP server ${name} ${what}. The call may have done part of its work.`,
  );
}

import { and, count, eq } from 'drizzle-orm';
import { invalidRequest } from '../../errors/typed-error.js';
import { isPlainObject } from '../../platform/face.js';
import { unusedFields } from '../../options/face.js';
import { type Database, type OptionProblem, turns } from '../../storage/face.js';
import type { ClientTurn } from '../../turn/face.js';
import type { WireMessage } from '../chat/conversations.js';
import type { WireAnswers } from '../chat/questions.js';
import type { WireFile } from '../chat/inline-files.js';
import {
  checkRun,
  type CheckedRun,
  readHistory,
  readInstructions,
  readRunMessage,
  readAnswers,
} from './run-messages.js';
import type { AgUiMessage } from './dialect/ag-ui-frames.js';

/** The body that a client posts (`RunAgentInput`), as far as it is used. */
export interface RunInput {
  threadId: string;
  runId: string;
  /** Any JSON. */
  state: unknown;
  /** The conversation as the client has it, as it came. */
  messages: readonly AgUiMessage[];
  /** The new message of the user; undefined: none. */
  newMessage: WireMessage | undefined;
  /** The conversation before it; undefined: there is none. */
  history: (() => ClientTurn<WireFile>[]) | undefined;
  /** What the application says beside the user; undefined: nothing. */
  instructions: string | undefined;
  /** Fields that have no effect. */
  problems: OptionProblem[];
  /** Whether the run brings nothing, not even a blank message: it reads the thread. */
  isReading: boolean;
  answers: WireAnswers;
  /** Options of the turn, with the client's tools. */
  opts: Record<string, unknown>;
  projectRoot: string | undefined;
  /** Whether a message without files has those of the turn that it replaces. */
  keepsFiles: boolean;
  /** Whether the client names no version of the protocol: those before 1.0 had none. */
  isOld: boolean;
}

/** Roles of messages that a turn is made of. */
const brings = new Set(['user', 'tool']);

/** The fields of a `RunAgentInput`. */
const runFields = [
  'threadId',
  'runId',
  'parentRunId',
  'protocolVersion',
  'state',
  'messages',
  'tools',
  'context',
  'resume',
  'forwardedProps',
];

/** Characters of a run's id, which is a part of an idempotency key. */
const MAX_RUN_ID_CHARS = 200;

/**
 * Reads a request's body, by the protocol's own schema. Null counts as absent. Of the messages, only those
 * after the assistant's last one are checked and read: the server keeps the conversation itself.
 *
 * @throws TypedError INVALID_REQUEST 400 that says which field is wrong, and what it should be.
 */
export async function readRunInput(body: unknown): Promise<RunInput> {
  if (!isPlainObject(body)) {
    throw invalidRequest(
      "The request body must be a JSON object: a RunAgentInput with 'threadId', 'runId' and 'messages'",
    );
  }
  const messages = readConversation(body['messages']);
  const from = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  const { tools } = body;
  // A list of tools is the option's, whose rule leaves out an odd tool alone.
  const isList = Array.isArray(tools);
  const checked = isList ? { ...body, tools: [] } : body;
  const input = await checkRun(checked, messages.slice(from), from);
  const { threadId, runId, state, context, resume = [], forwardedProps } = input;
  checkIds(input);
  const { opts, projectRoot, keepsFiles } = readProps(forwardedProps);
  const clientTools = isList ? (tools as unknown[]).map(toClientTool) : [];
  return {
    threadId,
    runId,
    state,
    messages,
    newMessage: readRunMessage(input.messages, from),
    history: readHistory(messages, from),
    instructions: readInstructions(messages, context),
    problems: unusedFields(body, runFields),
    isReading: resume.length === 0 && !input.messages.some(({ role }) => brings.has(role)),
    answers: readAnswers(resume, input.messages),
    opts: clientTools.length === 0 ? opts : { ...opts, clientTools },
    projectRoot,
    keepsFiles,
    isOld: input.protocolVersion === undefined,
  };
}

function toClientTool(tool: unknown): unknown {
  if (!isPlainObject(tool)) return tool;
  const { name, description, parameters } = tool;
  // A tool that takes nothing has nothing to declare.
  const inputSchema = parameters ?? { type: 'object', properties: {} };
  return { name, description: description ?? '', inputSchema };
}

/** Fields beside `id` and `role` are the client's, and go back to it as they came. */
function readConversation(given: unknown): AgUiMessage[] {
  if (!Array.isArray(given))
    throw invalidRequest("Missing or invalid 'messages': it must be a list");
  return (given as unknown[]).map((message, index) => {
    const { id, role } = isPlainObject(message) ? message : {};
    if (typeof id !== 'string' || typeof role !== 'string') {
      throw invalidRequest(`'messages[${index}]' must be an object with the texts 'id' and 'role'`);
    }
    return Object.assign(message as object, { id, role });
  });
}

function checkIds({ threadId, runId }: CheckedRun): void {
  for (const [name, id] of Object.entries({ threadId, runId })) {
    if (id === '')
      throw invalidRequest(`Missing or invalid '${name}': it must be a text that is not empty`);
  }
  if (runId.length > MAX_RUN_ID_CHARS) {
    throw invalidRequest(
      `'runId' has ${runId.length} characters; the limit is ${MAX_RUN_ID_CHARS}`,
    );
  }
  if (runId.includes('\0')) throw invalidRequest("'runId' must not have the character NUL");
}

const ownProps = ['opts', 'projectRoot', 'keepsFiles'];

/** The part of the application's properties that is ours, which the protocol leaves open. */
function readProps(given: unknown): Pick<RunInput, 'opts' | 'projectRoot' | 'keepsFiles'> {
  const own = isPlainObject(given) ? (given['turnpike'] ?? {}) : {};
  if (!isPlainObject(own)) throw invalidRequest("'forwardedProps.turnpike' must be an object");
  const unknown = Object.keys(own).find((key) => !ownProps.includes(key));
  if (unknown !== undefined) {
    throw invalidRequest(
      `'forwardedProps.turnpike' has no field ${JSON.stringify(unknown.slice(0, 100))}; its fields are ${ownProps.join(', ')}`,
    );
  }
  const { opts, projectRoot, keepsFiles = true } = own;
  if (opts !== undefined && !isPlainObject(opts)) {
    throw invalidRequest("'forwardedProps.turnpike.opts' must be an object");
  }
  if (projectRoot !== undefined && typeof projectRoot !== 'string') {
    throw invalidRequest("'forwardedProps.turnpike.projectRoot' must be text");
  }
  if (typeof keepsFiles !== 'boolean') {
    throw invalidRequest("'forwardedProps.turnpike.keepsFiles' must be true or false");
  }
  return { opts: opts ?? {}, projectRoot, keepsFiles };
}

/** Whether a client has fewer of the assistant's messages than its thread has turns that are done. */
export async function lacksMessages(
  db: Database,
  sessionId: string,
  messages: readonly AgUiMessage[],
): Promise<boolean> {
  const [found] = await db
    .select({ done: count() })
    .from(turns)
    .where(and(eq(turns.sessionId, sessionId), eq(turns.status, 'completed')));
  const has = messages.filter(({ role }) => role === 'assistant').length;
  return has < (found?.done ?? 0);
}

import { invalidRequest } from '../../errors/typed-error.js';
import { isPlainObject } from '../../platform/json.js';
import type { AgUiMessage } from './dialect/ag-ui-event.js';
import { parseRunMessage, type RunMessage } from './new-message.js';
import { parseAnswers, type RunAnswers } from './run-answers.js';

/** The body that a client posts (`RunAgentInput`), as far as it is used. */
export interface RunInput {
  threadId: string;
  runId: string;
  /** Any JSON. */
  state: unknown;
  /** The conversation as the client has it, as it came. */
  messages: readonly AgUiMessage[];
  /** The new message of the user; undefined: none. */
  newMessage: RunMessage | undefined;
  answers: RunAnswers;
  /** Options of the turn, with the client's tools. */
  opts: Record<string, unknown>;
  projectRoot: string | undefined;
}

/** Characters of a run's id, which is a part of an idempotency key. */
const LONGEST_RUN_ID = 200;

/**
 * Parses a request's body. Null counts as absent. Of the messages, only those after the assistant's
 * last one are read: the server keeps the conversation itself. Pure.
 *
 * @throws TypedError INVALID_REQUEST 400 that says which field is wrong, and what it should be.
 */
export function parseRunInput(body: unknown): RunInput {
  if (!isPlainObject(body)) {
    throw invalidRequest(
      "The request body must be a JSON object: a RunAgentInput with 'threadId', 'runId' and 'messages'",
    );
  }
  const runId = parseId(body, 'runId');
  if (runId.length > LONGEST_RUN_ID) {
    throw invalidRequest(`'runId' has ${runId.length} characters; the limit is ${LONGEST_RUN_ID}`);
  }
  if (runId.includes('\0')) throw invalidRequest("'runId' must not have the character NUL");
  const messages = parseMessages(body['messages']);
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const context = parseContext(body['context'] ?? []);
  const { opts, projectRoot } = parseProps(body['forwardedProps']);
  const clientTools = parseTools(body['tools'] ?? []);
  return {
    threadId: parseId(body, 'threadId'),
    runId,
    state: body['state'],
    messages,
    newMessage: parseRunMessage(messages, last + 1, context),
    answers: parseAnswers(body['resume'] ?? [], messages.slice(last + 1)),
    opts: clientTools.length === 0 ? opts : { ...opts, clientTools },
    projectRoot,
  };
}

function parseId(body: Record<string, unknown>, name: 'threadId' | 'runId'): string {
  const id = body[name];
  if (typeof id === 'string' && id !== '') return id;
  throw invalidRequest(`Missing or invalid '${name}': text that is not empty`);
}

function parseMessages(given: unknown): AgUiMessage[] {
  if (!Array.isArray(given)) throw invalidRequest("Missing or invalid 'messages': a list");
  return (given as unknown[]).map((message, index) => {
    const { id, role } = isPlainObject(message) ? message : {};
    if (typeof id !== 'string' || typeof role !== 'string') {
      throw invalidRequest(`'messages[${index}]' must be an object with the texts 'id' and 'role'`);
    }
    // Other fields are the client's, and go back to it as they came.
    return Object.assign(message as object, { id, role });
  });
}

function parseContext(given: unknown): string[] {
  if (!Array.isArray(given)) throw invalidRequest("'context' must be a list");
  return (given as unknown[]).map((item, index) => {
    const { description, value } = isPlainObject(item) ? item : {};
    if (typeof description !== 'string' || typeof value !== 'string') {
      throw invalidRequest(`'context[${index}]' must have the texts 'description' and 'value'`);
    }
    return `## ${description}\n\n${value}`;
  });
}

/** Names and schemas of the tools are checked where the turn is submitted. */
function parseTools(given: unknown): object[] {
  if (!Array.isArray(given)) throw invalidRequest("'tools' must be a list");
  return (given as unknown[]).map((tool, index) => {
    if (!isPlainObject(tool)) throw invalidRequest(`'tools[${index}]' must be an object`);
    const { name, description, parameters } = tool;
    // A tool that takes nothing has nothing to declare.
    const inputSchema = parameters ?? { type: 'object', properties: {} };
    return { name, description, inputSchema };
  });
}

function parseProps(given: unknown): Pick<RunInput, 'opts' | 'projectRoot'> {
  const own = isPlainObject(given) ? (given['turnpike'] ?? {}) : {};
  if (!isPlainObject(own)) throw invalidRequest("'forwardedProps.turnpike' must be an object");
  const unknown = Object.keys(own).find((key) => key !== 'opts' && key !== 'projectRoot');
  if (unknown !== undefined) {
    throw invalidRequest(
      `'forwardedProps.turnpike' has no field ${JSON.stringify(unknown.slice(0, 100))}; its fields are opts and projectRoot`,
    );
  }
  const { opts, projectRoot } = own;
  if (opts !== undefined && !isPlainObject(opts)) {
    throw invalidRequest("'forwardedProps.turnpike.opts' must be an object");
  }
  if (projectRoot !== undefined && typeof projectRoot !== 'string') {
    throw invalidRequest("'forwardedProps.turnpike.projectRoot' must be text");
  }
  return { opts: opts ?? {}, projectRoot };
}

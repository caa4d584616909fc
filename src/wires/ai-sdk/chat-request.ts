import { invalidRequest } from '../../errors/typed-error.js';
import { isPlainObject } from '../../platform/json.js';
import type { WireMessage } from '../conversation/conversations.js';
import type { WireAnswers } from '../conversation/match-answers.js';
import { parseMessages, type ChatMessage } from './chat-message.js';
import { parseGivenParts } from './parse-given-parts.js';
import { parseUserMessage } from './parse-user-message.js';

/** The body of a chat request. */
export interface AiSdkRequest {
  /** The client's name for the chat. */
  chatId: string;
  /** The last user message is to be answered once more. */
  isAgain: boolean;
  agent: string | undefined;
  projectRoot: string | undefined;
  opts: Record<string, unknown>;
  input:
    | {
        type: 'message';
        message: WireMessage;
        /** Idempotency key: equal where a request is repeated; undefined where every request is meant. */
        key: string | undefined;
      }
    /** Answers in the last step; those of earlier steps were taken by earlier requests. */
    | { type: 'answers'; answers: WireAnswers };
}

const triggers = ['submit-message', 'regenerate-message'];

/**
 * Parses the body that `DefaultChatTransport` posts, with the fields that an application adds. Of
 * the messages only those are parsed that the server lacks: it keeps the conversation itself. Pure.
 *
 * @throws TypedError INVALID_REQUEST 400, with what is wrong and where.
 */
export function parseAiSdkRequest(body: unknown): AiSdkRequest {
  if (!isPlainObject(body)) {
    throw invalidRequest("The request body must be a JSON object with 'id' and 'messages'");
  }
  const { id: chatId, trigger = 'submit-message' } = body;
  if (typeof chatId !== 'string' || chatId === '') {
    throw invalidRequest("'id' is missing or no text: send the id of the chat");
  }
  if (!triggers.some((known) => known === trigger)) {
    throw invalidRequest(`'trigger' must be one of ${triggers.join(', ')}`);
  }
  const isAgain = trigger === 'regenerate-message';
  return {
    chatId,
    isAgain,
    agent: parseText(body, 'agent'),
    projectRoot: parseText(body, 'projectRoot'),
    opts: parseOpts(body),
    input: parseInput(parseMessages(body['messages']), isAgain, body['messageId']),
  };
}

/** @param edited id of the message that replaces an earlier one of that id. */
function parseInput(
  messages: readonly ChatMessage[],
  isAgain: boolean,
  edited: unknown,
): AiSdkRequest['input'] {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const fresh = messages.slice(last + 1).filter(({ role }) => role === 'user');
  if (fresh.length > 0) return { type: 'message', ...parseUserMessage(fresh, { isAgain, edited }) };
  const asked = messages[last];
  const answers = asked === undefined || isAgain ? undefined : parseGivenParts(asked);
  if (answers !== undefined && answers.decisions.length + answers.outputs.length > 0) {
    return { type: 'answers', answers };
  }
  throw invalidRequest(
    "There is nothing new in 'messages': send a user message after the last assistant message, or the last assistant message with an approval that was answered or the output of a tool of yours",
  );
}

/** Tools of the client may stand beside the options, as they are the client's and no option of the user. */
function parseOpts(body: Record<string, unknown>): Record<string, unknown> {
  const { opts = {}, clientTools } = body;
  if (!isPlainObject(opts)) throw invalidRequest("'opts' must be an object");
  if (clientTools === undefined) return opts;
  if (opts['clientTools'] !== undefined) {
    throw invalidRequest(
      "'clientTools' is there twice: leave out one of it and 'opts.clientTools'",
    );
  }
  return { ...opts, clientTools };
}

function parseText(body: Record<string, unknown>, field: string): string | undefined {
  const value = body[field] ?? undefined;
  if (value === undefined || (typeof value === 'string' && value !== '')) return value;
  throw invalidRequest(`'${field}' must be text that is not empty, or left out`);
}

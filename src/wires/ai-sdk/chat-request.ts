import { invalidRequest } from '../../errors/typed-error.js';
import { takeRequest } from '../../http/face.js';
import { compact, isPlainObject } from '../../platform/face.js';
import { unusedFields } from '../../options/face.js';
import type { OptionProblem } from '../../storage/face.js';
import type { ClientTurn } from '../../turn/face.js';
import type { WireMessage } from '../chat/conversations.js';
import type { WireAnswers } from '../chat/questions.js';
import type { WireFile } from '../chat/inline-files.js';
import { ChatDto } from './ai-sdk.dto.js';
import { aiSdkVersions, VERSION_FIELD, type AiSdkVersion } from './dialect/ai-sdk-version.js';
import {
  checkMessages,
  readMessages,
  type SentMessage,
  readAnswers,
  keyOfMessage,
  readHistory,
  readInstructions,
  readUserMessage,
  refuseUnknownParts,
} from './chat-messages.js';

/** The fields of a body: those of the package's transport, and ours. */
const chatFields = [
  'id',
  'messages',
  'trigger',
  'messageId',
  'agent',
  'projectRoot',
  'opts',
  'clientTools',
];

/** The body of a chat request. */
export interface AiSdkRequest {
  /** The client's name for the chat. */
  chatId: string;
  agent: string | undefined;
  projectRoot: string | undefined;
  opts: Record<string, unknown>;
  /** What the application says beside the user; undefined: nothing. */
  instructions: string | undefined;
  /** Fields that have no effect. */
  problems: OptionProblem[];
  input:
    | {
        type: 'message';
        message: WireMessage;
        /** The conversation before it; undefined: there is none. */
        history: (() => ClientTurn<WireFile>[]) | undefined;
        /** Idempotency key: equal where a request is repeated; undefined where every request is meant. */
        key: string | undefined;
        /** The message is said once more, or in other words: it takes the place of what was said. */
        again?: { userId: string | undefined; answerId: string | undefined };
      }
    /** Answers in the last step; those of earlier steps were taken by earlier requests. */
    | { type: 'answers'; answers: WireAnswers; messageId: string | undefined };
}

/**
 * The version that a request names. No package says which one it is.
 *
 * @param header as it came; undefined: there is none.
 * @param query the field of the query, as it came.
 * @returns '6' where none is named.
 * @throws TypedError INVALID_REQUEST 400 for another one, and for two.
 */
export function readVersion(header: unknown, query: unknown): AiSdkVersion {
  const named = header ?? query ?? '6';
  const version = aiSdkVersions.find((one) => one === named);
  if (version === undefined) {
    throw invalidRequest(
      `'${VERSION_FIELD}' must be 6, 7 or 7-steering: the major of the page's package 'ai'. Leave it out for 6.`,
      { versions: aiSdkVersions },
    );
  }
  if (query !== undefined && query !== version) {
    throw invalidRequest(
      `'${VERSION_FIELD}' is ${version} in the headers and another one in the query: send it once`,
    );
  }
  return version;
}

/**
 * Reads the body that `DefaultChatTransport` posts, with the fields that an application adds. Of
 * the messages only those are checked and read that the server lacks: it keeps the conversation itself.
 *
 * @throws TypedError INVALID_REQUEST 400, with what is wrong and where.
 */
export async function readChatRequest(body: unknown): Promise<AiSdkRequest> {
  if (!isPlainObject(body)) {
    throw invalidRequest("The request body must be a JSON object with 'id' and 'messages'");
  }
  const { messages, ...fields } = body;
  const chat = await takeRequest(ChatDto, fields);
  const isAgain = chat.trigger === 'regenerate-message';
  const sent = readMessages(messages);
  return {
    chatId: chat.id,
    agent: chat.agent,
    projectRoot: chat.projectRoot,
    opts: optsOf(chat),
    instructions: readInstructions(sent),
    problems: unusedFields(fields, chatFields),
    input: await readInput(sent, isAgain, chat.messageId),
  };
}

/** @param edited id of the message that was edited, or of the answer that is to be made again. */
async function readInput(
  messages: readonly SentMessage[],
  isAgain: boolean,
  edited: unknown,
): Promise<AiSdkRequest['input']> {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const fresh = messages.slice(last + 1);
  const id = fresh.findLast(({ role }) => role === 'user')?.['id'];
  if (fresh.some(({ role }) => role === 'user')) {
    refuseUnknownParts(fresh, last + 1);
    const checked = await checkMessages(fresh, { role: 'user', from: last + 1 }, isSaid);
    const said = readUserMessage(checked, last + 1);
    const clientId = typeof id === 'string' && id !== '' ? id : undefined;
    const message = { ...said, ...compact({ clientId }) };
    const history = readHistory(messages.slice(0, last + 1));
    const asked = { type: 'message', message, history } as const;
    if (isAgain || (clientId !== undefined && edited === clientId)) {
      const answerId = isAgain && typeof edited === 'string' ? edited : undefined;
      return { ...asked, key: undefined, again: { userId: clientId, answerId } };
    }
    return { ...asked, key: clientId && keyOfMessage(clientId) };
  }
  const asked = isAgain ? undefined : messages[last];
  const answers = asked && (await findAnswers(asked, last));
  if (answers !== undefined && answers.decisions.length + answers.outputs.length > 0) {
    const messageId = asked?.['id'];
    return {
      type: 'answers',
      answers,
      messageId: typeof messageId === 'string' ? messageId : undefined,
    };
  }
  throw invalidRequest(
    "There is nothing new in 'messages'. Send a user message after the last assistant message; or send that assistant message again, with an answered approval or the output of a tool of yours in it",
  );
}

const isSaid = (type: string): boolean => type === 'text' || type === 'file';

/** The answers in the last step; earlier requests answered the earlier steps. */
async function findAnswers(asked: SentMessage, index: number): Promise<WireAnswers | undefined> {
  const parts = Array.isArray(asked['parts']) ? (asked['parts'] as unknown[]) : [];
  const step = parts.findLastIndex((part) => isPlainObject(part) && part['type'] === 'step-start');
  const isTool = (type: string, at: number): boolean =>
    at > step && (type === 'dynamic-tool' || type.startsWith('tool-'));
  const [checked] = await checkMessages([asked], { role: 'assistant', from: index }, isTool);
  return checked && readAnswers(checked);
}

/** Tools of the client may stand beside the options, as they are the client's and no option of the user. */
function optsOf({ opts, clientTools }: ChatDto): Record<string, unknown> {
  if (clientTools === undefined) return opts;
  if (opts['clientTools'] !== undefined) {
    throw invalidRequest(
      "The client's tools are sent twice: leave out 'clientTools' or 'opts.clientTools'",
    );
  }
  return { ...opts, clientTools };
}

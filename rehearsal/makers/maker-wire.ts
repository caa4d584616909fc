import type { IncomingHttpHeaders } from 'node:http';
import * as z from 'zod';
import { WireError } from '../http/wire-error.js';
import { isPlainObject, type JsonObject } from '../json.js';
import type { MessagesRequest, RequestBlock, RequestMessage } from '../request-types.js';
import type { WireEvent } from '../reply/reply-plan.js';

/** A request of another maker's wire, in the words in which replies are planned. */
export interface TakenRequest {
  model: string;
  request: MessagesRequest;
  countsUsage: CountsUsage;
}

/**
 * Where a stream of chat completions says what was counted: in a frame of its own, where that is asked for; in its last
 * frame, as Mistral's; there in a field of Groq's; nowhere.
 */
export type CountsUsage = 'own-frame' | 'last-frame' | 'x_groq' | 'nowhere';

/** What the frames of a reply name. */
export interface ReplyIds {
  id: string;
  model: string;
  /** Seconds since the Unix epoch. */
  created: number;
  /** Tokens of the prompt. */
  prompt: number;
  countsUsage: CountsUsage;
}

/** The wire of another maker: what it takes and refuses, and how it says a reply. It streams only. */
export interface MakerWire {
  /** @throws WireError without a credential. */
  checkHeaders(headers: IncomingHttpHeaders): void;
  /** @throws WireError in the maker's words. @param path of the request's URL. */
  take(body: unknown, path: string): TakenRequest;
  /** Makes the text of the stream for each event of a reply. */
  encoder(ids: ReplyIds): (event: WireEvent) => string;
  /** What it says of a prompt that is over the window of a model, in tokens. */
  tooLong(prompt: number, window: number): string;
  /** An error as a body. */
  errorBody(error: WireError): object;
  /** An error in a stream. */
  errorFrame(error: WireError): string;
}

export function dataFrame(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** `messages[0].content` */
export function pathOf(keys: readonly PropertyKey[]): string {
  return keys.reduce<string>((path, key) => {
    if (typeof key === 'number') return `${path}[${key}]`;
    return path === '' ? String(key) : `${path}.${String(key)}`;
  }, '');
}

/**
 * Checks the form of a body.
 *
 * @param explain the maker's words for a fault.
 * @throws WireError 400 for the first fault, the deepest where the form is one of several.
 */
export function parseForm<Form>(
  schema: z.ZodType<Form>,
  body: unknown,
  explain: (issue: z.core.$ZodIssue) => string,
): Form {
  const { success, data, error } = schema.safeParse(body);
  if (success) return data;
  const [issue] = error.issues;
  throw new WireError(400, issue === undefined ? 'Invalid request.' : explain(deepest(issue)));
}

function deepest(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue;
  const inner = issue.errors
    .flatMap(([first]) => (first === undefined ? [] : [deepest(first)]))
    .toSorted((a, b) => b.path.length - a.path.length);
  const [found] = inner;
  return found === undefined ? issue : { ...found, path: [...issue.path, ...found.path] };
}

export const jsonObject = z.custom<JsonObject>(isPlainObject, 'it must be an object');

/** The fields of a schema that a reply is held to. */
export const outputSchemaFields = {
  name: z.string(),
  description: z.string().optional(),
  schema: jsonObject,
  strict: z.boolean().nullish(),
};

/** What the wires of all makers have, each in its own place. */
interface MakerRequest {
  model: string;
  system: readonly string[];
  conversation: Conversation;
  /** Default: 32,000. */
  maxTokens: number | null | undefined;
  tools: readonly { name: string }[];
  /** Whether tools may be called. */
  callsTools: boolean;
  /** The schema of the reply; undefined: text. */
  schema: JsonObject | undefined;
}

export function messagesRequest(made: MakerRequest): MessagesRequest {
  const { model, system, conversation, maxTokens, tools, callsTools, schema } = made;
  return {
    model,
    system: system.join('\n'),
    messages: conversation.messages,
    max_tokens: maxTokens ?? 32_000,
    tools: tools.map(({ name }) => ({ name })),
    ...(!callsTools && { tool_choice: { type: 'none' as const } }),
    ...(schema && { output_config: { format: { type: 'json_schema', schema } } }),
  };
}

/** A conversation in the making: blocks of one role in a row are one message. */
export class Conversation {
  readonly messages: RequestMessage[] = [];

  add(role: 'user' | 'assistant', ...blocks: RequestBlock[]): void {
    const last = this.messages.at(-1);
    if (last?.role === role && Array.isArray(last.content)) last.content.push(...blocks);
    else this.messages.push({ role, content: blocks });
  }
}

/** An image of a client, by its address or inside of it. */
export function imageOf(url: string): RequestBlock {
  const [, media_type, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  if (media_type === undefined || data === undefined) {
    return { type: 'image', source: { type: 'url' } };
  }
  return { type: 'image', source: { type: 'base64', media_type, data } };
}

/** The arguments of a call; what is no object is what the model wrote, which nobody checks. */
export function inputOf(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return {};
  }
}

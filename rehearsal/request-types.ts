import type { IncomingHttpHeaders } from 'node:http';
import type * as z from 'zod';
import type { JsonObject } from './json.js';
import {
  foundTools,
  type cacheControl,
  type opaqueBlock,
  type redactedThinkingBlock,
  type requestSchema,
  type textBlock,
  type thinkingBlock,
  type toolReference,
  type toolUse,
} from './request-schema.js';

export type CacheMark = NonNullable<z.output<typeof cacheControl>>;

export interface Cached {
  cache_control?: CacheMark | null | undefined;
}

/** For how long a mark keeps the prompt before it; undefined without one. */
export function ttlOf(mark: CacheMark | null | undefined): '5m' | '1h' | undefined {
  return mark ? (mark.ttl ?? '5m') : undefined;
}

export type TextBlock = z.output<typeof textBlock>;
export type ThinkingBlock = z.output<typeof thinkingBlock | typeof redactedThinkingBlock>;
/** Calls and results of server tools, and files. */
export type OpaqueBlock = z.output<typeof opaqueBlock>;
/** A tool that a search has found. */
type ToolReference = z.output<typeof toolReference>;

export interface ToolResultBlock extends Cached {
  type: 'tool_result';
  tool_use_id: string;
  content?: string | RequestBlock[];
  is_error?: boolean;
}

/** The source of a file, in all its forms. */
interface FileSource {
  /** `base64`, `text`, `url`, `file` or `content`. */
  type: string;
  media_type?: string;
  data?: string;
}

interface ImageBlock extends Cached {
  type: 'image';
  source: FileSource;
}

export interface DocumentBlock extends Cached {
  type: 'document';
  source: FileSource;
  title?: string | null;
  citations?: { enabled?: boolean } | null;
}

export type RequestBlock =
  | TextBlock
  | ThinkingBlock
  | z.output<typeof toolUse>
  | ToolResultBlock
  | ImageBlock
  | DocumentBlock
  | ToolReference
  | OpaqueBlock;

export interface RequestMessage {
  role: 'user' | 'assistant' | 'system';
  content: string | RequestBlock[];
}

export interface OfferedTool extends Cached {
  name: string;
  /** Absent or `custom` for a client's tool; else a server tool, by name and date. */
  type?: string | null;
  description?: string;
  input_schema?: JsonObject;
  strict?: boolean;
  defer_loading?: boolean;
}

/** A request that passed `validateRequest`, with unlisted parameters as they were sent. */
export interface MessagesRequest extends Omit<
  z.output<typeof requestSchema>,
  'messages' | 'tools'
> {
  messages: RequestMessage[];
  tools?: OfferedTool[];
  [parameter: string]: unknown;
}

/** A valid request of a message, as `onRequest` gets it. */
export interface RehearsalRequest {
  body: MessagesRequest;
  /** Names in lower case. `x-stainless-retry-count` tells the SDK's retries apart. */
  headers: IncomingHttpHeaders;
}

/** The content of a message as blocks; text is one block. */
export function blocksOf(message: RequestMessage): RequestBlock[] {
  if (typeof message.content !== 'string') return message.content;
  return [{ type: 'text', text: message.content }];
}

/** A block of the messages, or of a tool's result in them, and where it stands. */
export interface PlacedBlock {
  block: RequestBlock;
  /** The index of its message. */
  message: number;
  /** Its index in the message, or that of the result that holds it. */
  at: number;
  /** Its index in that result. */
  inner: number | undefined;
}

/** All blocks of a request's messages in the order of the prompt: those in a result before the result. */
export function placeBlocks(messages: readonly RequestMessage[]): PlacedBlock[] {
  const placed: PlacedBlock[] = [];
  messages.forEach(({ content }, message) => {
    if (typeof content === 'string') return;
    content.forEach((block, at) => {
      if (block.type === 'tool_result' && Array.isArray(block.content)) {
        block.content.forEach((inner, index) => {
          placed.push({ block: inner, message, at, inner: index });
        });
      }
      placed.push({ block, message, at, inner: undefined });
    });
  });
  return placed;
}

/** The path of a block in its request; `within` is put behind the block that holds it. */
export function pathOf({ message, at, inner }: PlacedBlock, within = ''): string {
  const path = `messages.${message}.content.${at}`;
  return inner === undefined ? path : `${path}${within}.content.${inner}`;
}

/** Whether a document of a request is to be cited. */
export function citesDocuments({ messages }: Pick<MessagesRequest, 'messages'>): boolean {
  return messages
    .flatMap(blocksOf)
    .some((block) => block.type === 'document' && block.citations?.enabled === true);
}

/** Whether a message of the assistant pauses inside a call of the API's own tools, which the next reply continues. */
export function isPaused(message: RequestMessage): boolean {
  return blocksOf(message).some(({ type }) => type === 'server_tool_use');
}

export function isThinkingBlock(block: RequestBlock): block is ThinkingBlock {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

/** The tools that a block names: the result of a search of the API's, or of a tool that searches for the client. */
export function referencesIn(block: RequestBlock): readonly Pick<ToolReference, 'tool_name'>[] {
  if (block.type === 'tool_result') {
    if (!Array.isArray(block.content)) return none;
    return block.content.filter((item) => item.type === 'tool_reference');
  }
  if (block.type !== 'tool_search_tool_result') return none;
  const found = foundTools.safeParse(block.content);
  return found.success ? found.data.tool_references : none;
}

const none: readonly ToolReference[] = [];

import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from './json.js';
import type { EffortLevel } from './models/profiles.js';
import { foundTools, type opaqueBlockTypes } from './request-schema.js';

export interface CacheMark {
  type: 'ephemeral';
  ttl?: '5m' | '1h';
}

export interface Cached {
  cache_control?: CacheMark | null | undefined;
}

/** For how long a mark keeps the prompt before it; undefined without one. */
export function ttlOf(mark: CacheMark | null | undefined): '5m' | '1h' | undefined {
  return mark ? (mark.ttl ?? '5m') : undefined;
}

export interface TextBlock extends Cached {
  type: 'text';
  text: string;
  citations?: unknown[] | null;
}

export interface ThinkingBlock {
  type: 'thinking';
  thinking: string;
  signature: string;
  cache_control?: undefined;
}

export interface RedactedThinkingBlock {
  type: 'redacted_thinking';
  data: string;
  cache_control?: undefined;
}

export interface ToolUseBlock extends Cached {
  type: 'tool_use';
  id: string;
  name: string;
  input: JsonObject;
}

export interface ToolResultBlock extends Cached {
  type: 'tool_result';
  tool_use_id: string;
  content?: string | RequestBlock[];
  is_error?: boolean;
}

export interface BlockSource {
  /** `base64`, `text`, `url`, `file` or `content`. */
  type: string;
  media_type?: string;
  data?: string;
}

export interface ImageBlock extends Cached {
  type: 'image';
  source: BlockSource;
}

export interface DocumentBlock extends Cached {
  type: 'document';
  source: BlockSource;
  title?: string | null;
  citations?: { enabled?: boolean } | null;
}

/** Calls and results of server tools, and files. */
export interface OpaqueBlock extends Cached {
  type: (typeof opaqueBlockTypes)[number];
  /** Id of a call, which also has `name`; absent in a result. */
  id?: string;
  name?: string;
  /** Id of the call that a result answers. */
  tool_use_id?: string;
  content?: unknown;
}

/** A tool that a search has found. */
export interface ToolReferenceBlock extends Cached {
  type: 'tool_reference';
  tool_name: string;
}

export type RequestBlock =
  | TextBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlock
  | ToolResultBlock
  | ImageBlock
  | DocumentBlock
  | ToolReferenceBlock
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

type Display = 'summarized' | 'omitted' | 'updates' | null;

interface BlockBinding {
  prefix_mismatch_behavior?: 'error' | 'drop_block' | null;
}

export type ThinkingParam =
  | { type: 'adaptive'; display?: Display; block_binding?: BlockBinding | null }
  | {
      type: 'enabled';
      budget_tokens: number;
      display?: Display;
      block_binding?: BlockBinding | null;
    }
  | { type: 'between_tools' }
  | { type: 'disabled' };

export interface ToolChoice {
  type: 'auto' | 'any' | 'tool' | 'none';
  name?: string;
  disable_parallel_tool_use?: boolean;
}

/** A request that passed `validateRequest`, with unlisted parameters as they were sent. */
export interface MessagesRequest extends Cached {
  model: string;
  max_tokens: number;
  messages: RequestMessage[];
  system?: string | TextBlock[];
  tools?: OfferedTool[];
  tool_choice?: ToolChoice;
  thinking?: ThinkingParam;
  output_config?: {
    effort?: EffortLevel | null;
    format?: { type: 'json_schema'; schema: JsonObject } | null;
  };
  stream?: boolean;
  stop_sequences?: string[];
  speed?: 'standard' | 'fast' | null;
  service_tier?: 'auto' | 'standard_only';
  inference_geo?: string | null;
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

/** Whether a message of the assistant pauses inside a call of the API's own tools, which the next reply continues. */
export function isPaused(message: RequestMessage): boolean {
  return blocksOf(message).some(({ type }) => type === 'server_tool_use');
}

export function isThinkingBlock(
  block: RequestBlock,
): block is ThinkingBlock | RedactedThinkingBlock {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

/** The tools that a block names: the result of a search of the API's, or of a tool that searches for the client. */
export function referencesIn(
  block: RequestBlock,
): readonly Pick<ToolReferenceBlock, 'tool_name'>[] {
  if (block.type === 'tool_result') {
    if (!Array.isArray(block.content)) return none;
    return block.content.filter((item) => item.type === 'tool_reference');
  }
  if (block.type !== 'tool_search_tool_result') return none;
  const found = foundTools.safeParse(block.content);
  return found.success ? found.data.tool_references : none;
}

const none: readonly ToolReferenceBlock[] = [];

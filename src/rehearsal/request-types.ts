import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from '../platform/json.js';

/** The part of the Messages API's request that the rehearsal looks at. */

interface Cached {
  cache_control?: unknown;
}

export interface TextBlock extends Cached {
  type: 'text';
  text: string;
}

export interface ThinkingBlock {
  type: 'thinking';
  thinking: string;
  signature: string;
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

/** Blocks that are let through unread: the provider's own. */
export const opaqueBlockTypes = [
  'redacted_thinking',
  'search_result',
  'container_upload',
  'server_tool_use',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'tool_search_tool_result',
] as const;

export interface OpaqueBlock {
  type: (typeof opaqueBlockTypes)[number];
}

export type RequestBlock =
  | TextBlock
  | ThinkingBlock
  | ToolUseBlock
  | ToolResultBlock
  | ImageBlock
  | DocumentBlock
  | OpaqueBlock;

export interface RequestMessage {
  role: 'user' | 'assistant' | 'system';
  content: string | RequestBlock[];
}

export interface OfferedTool extends Cached {
  name: string;
  /** Absent for the provider's own tools. */
  type?: string;
  description?: string;
  input_schema?: JsonObject;
}

/** A request that passed `validateRequest`. Parameters that are not listed are kept as they came. */
export interface MessagesRequest {
  model: string;
  max_tokens: number;
  messages: RequestMessage[];
  system?: string | TextBlock[];
  tools?: OfferedTool[];
  stream?: boolean;
  stop_sequences?: string[];
  [parameter: string]: unknown;
}

/** What an observer is told of each call of the model. */
export interface RehearsalRequest {
  body: MessagesRequest;
  /** Names in lower case. `x-stainless-retry-count` tells the SDK's retries apart. */
  headers: IncomingHttpHeaders;
}

/** A message's content as blocks, whichever way it was written. */
export function blocksOf(message: RequestMessage): RequestBlock[] {
  if (typeof message.content !== 'string') return message.content;
  return [{ type: 'text', text: message.content }];
}

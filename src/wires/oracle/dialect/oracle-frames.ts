import type { Source } from '../../../events/face.js';
import type { JsonObject, RetryAdvice } from '../../../platform/face.js';

export const sourceTypes = ['code', 'vault', 'thread', 'repomap'] as const;

export interface OracleSource {
  path: string;
  source_type: (typeof sourceTypes)[number];
  /** At most 500 characters. */
  snippet?: string | undefined;
  metadata: Record<string, unknown>;
}

export interface OracleToolCall {
  id: string;
  name: string;
  /** JSON. */
  arguments: string;
  status: 'running' | 'completed' | 'error';
}

export const systemTypes = [
  'limit_warning',
  'limit_reached',
  'no_progress',
  'error_limit',
  'tool_limit',
  /** Options of the question that were not taken as they were sent, or had no effect. */
  'options_ignored',
  /** All content before this chunk is void: the answer now begins with `metadata.content`. */
  'content_discarded',
] as const;
export type SystemType = (typeof systemTypes)[number];

export type DoneChunk = {
  type: 'done';
  /** The whole answer, whatever the content chunks had. */
  answer: string;
  tokens_used: number;
  model_used?: string | undefined;
  /** Id of the session. */
  context_id?: string | undefined;
  context_tokens?: number | undefined;
  max_context_tokens?: number | undefined;
  /** The object of an agent whose answers are to end with one. */
  output?: JsonObject | undefined;
  metadata?: { termination_reason: string; turns_used: number; max_turns?: number | undefined };
};

export type ErrorChunk = {
  type: 'error';
  error: string;
  context_id?: string | undefined;
  metadata?: { termination_reason: string; status?: number | undefined } & RetryAdvice;
};

/** A message of the oracle wire (contract: oracle, section 2). Undefined fields are left out. */
export type OracleChunk =
  | { type: 'thinking' | 'content'; content: string }
  | { type: 'source'; source: OracleSource }
  | { type: 'tool_call'; tool_call: OracleToolCall }
  | {
      type: 'tool_result';
      tool_call_id: string;
      /** At most 2,000 characters; the model has all of it. */
      tool_result: string;
      /** Index of the call among the turn's calls. */
      metadata: { order: number };
    }
  | { type: 'status'; message: string }
  | { type: 'context_update'; context_tokens: number; max_context_tokens: number }
  | {
      type: 'system';
      system_type: SystemType;
      system_message: string;
      metadata?: Record<string, unknown> | undefined;
    }
  | DoneChunk
  | ErrorChunk;

/** The first characters of a text, whole ones. */
export function clip(text: string, most: number): string {
  if (text.length <= most) return text;
  const splitsPair = /[\uD800-\uDBFF]/.test(text.charAt(most - 1));
  return text.slice(0, splitsPair ? most - 1 : most);
}

const MAX_SNIPPET_CHARS = 500;

/** A kind of source that the oracle wire has no word for is a document of the vault. */
export function toOracleSource({ type, title, url, citedText, location }: Source): OracleSource {
  return {
    path: title === '' ? (url ?? '') : title,
    source_type: sourceTypes.find((known) => known === type) ?? 'vault',
    snippet: citedText === undefined ? undefined : clip(citedText, MAX_SNIPPET_CHARS),
    metadata: { type, url, location },
  };
}

import type { JsonObject } from '../../../platform/json.js';
import type { ResponseItem } from './response-item.js';

/** A tool of the client's. */
export interface FunctionTool {
  type: 'function';
  name: string;
  description: string | null;
  parameters: JsonObject | null;
  strict: boolean | null;
}

/** A tool of the client's whose input is text. */
export interface CustomTool {
  type: 'custom';
  name: string;
  description: string;
  format: { type: 'text' };
}

export type ResponseTool = FunctionTool | CustomTool;

export interface ResponseUsage {
  /** With tokens from the provider's cache and those written to it. */
  input_tokens: number;
  input_tokens_details: { cached_tokens: number; cache_write_tokens: number };
  output_tokens: number;
  output_tokens_details: { reasoning_tokens: number };
  total_tokens: number;
}

export const responseErrorTypes = [
  'invalid_request',
  'not_found',
  'too_many_requests',
  'server_error',
] as const;
export type ResponseErrorType = (typeof responseErrorTypes)[number];

/** The type of an error, by its status. */
export function errorTypeOf(status: number): ResponseErrorType {
  if (status === 404 || status === 410) return 'not_found';
  if (status === 429) return 'too_many_requests';
  return status < 500 ? 'invalid_request' : 'server_error';
}

export interface ResponseError {
  /** Code of the server's table of errors. */
  code: string;
  /** As the errors of requests have it. */
  type: ResponseErrorType;
  message: string;
}

/** `cancelled`: the turn was interrupted, or lost its readers. */
export type ResponseStatus =
  | 'queued'
  | 'in_progress'
  | 'completed'
  | 'incomplete'
  | 'failed'
  | 'cancelled';

/** A response, with every field that the open specification requires. */
export interface ResponseObject {
  id: string;
  object: 'response';
  /** Seconds since the epoch. */
  created_at: number;
  /** Seconds since the epoch; null: it is not completed. */
  completed_at: number | null;
  status: ResponseStatus;
  incomplete_details: { reason: string } | null;
  error: ResponseError | null;
  /** The agent, or the model, that the request named. */
  model: string;
  previous_response_id: string | null;
  instructions: string | null;
  output: readonly ResponseItem[];
  tools: readonly ResponseTool[];
  tool_choice: 'auto' | 'none';
  truncation: 'auto';
  parallel_tool_calls: boolean;
  text: { format: JsonObject; verbosity?: 'low' | 'medium' | 'high' };
  top_p: 1;
  presence_penalty: 0;
  frequency_penalty: 0;
  top_logprobs: 0;
  temperature: 1;
  reasoning: { effort: string | null; summary: string | null };
  /** Tokens of the steps that ended in the response; null: none has yet. */
  usage: ResponseUsage | null;
  /** Most tokens of each reply of the model. */
  max_output_tokens: number | null;
  max_tool_calls: null;
  store: boolean;
  background: boolean;
  service_tier: 'default' | 'flex';
  metadata: Readonly<Record<string, string>>;
  user: string | null;
  safety_identifier: string | null;
  prompt_cache_key: string | null;
}

/** What changes while a response comes. */
export type ResponseProgress = Pick<
  ResponseObject,
  'status' | 'output' | 'usage' | 'error' | 'incomplete_details' | 'completed_at'
>;

/** What stays as it was when a response was made. */
export type ResponseFacts = Omit<ResponseObject, keyof ResponseProgress>;

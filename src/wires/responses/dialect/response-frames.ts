import type { EventOf } from '../../../events/face.js';
import type { JsonObject } from '../../../platform/face.js';

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

/** Tools of the client's under a common name. */
export interface NamespaceTool {
  type: 'namespace';
  name: string;
  description: string;
  tools: readonly (FunctionTool | CustomTool)[];
}

export type ResponseTool = FunctionTool | CustomTool | NamespaceTool;

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
  truncation: 'auto' | 'disabled';
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
  /** Absent: the request named none. */
  prompt_cache_retention?: 'in_memory' | '24h';
}

/** What changes while a response comes. */
export type ResponseProgress = Pick<
  ResponseObject,
  'status' | 'output' | 'usage' | 'error' | 'incomplete_details' | 'completed_at'
>;

/** What stays as it was when a response was made. */
export type ResponseFacts = Omit<ResponseObject, keyof ResponseProgress>;

/** The item that an event is about. */
interface OfItem {
  item_id: string;
  output_index: number;
}

interface OfText extends OfItem {
  content_index: 0;
}

interface OfSummary extends OfItem {
  summary_index: 0;
}

/** The last events of a response. */
export type FinalEventType = 'response.completed' | 'response.failed' | 'response.incomplete';

/** An event before it has its number. */
export type ResponseEventBody =
  | { type: 'response.created'; response: ResponseObject }
  /** Also after items were taken back: these are empty and `incomplete` in `response.output`. */
  | { type: 'response.in_progress'; response: ResponseObject }
  | { type: FinalEventType; response: ResponseObject }
  | { type: 'response.output_item.added'; output_index: number; item: ResponseItem }
  | { type: 'response.output_item.done'; output_index: number; item: ResponseItem }
  | ({ type: 'response.content_part.added'; part: OutputText } & OfText)
  | ({ type: 'response.content_part.done'; part: OutputText } & OfText)
  | ({ type: 'response.output_text.delta'; delta: string; logprobs: readonly never[] } & OfText)
  | ({ type: 'response.output_text.done'; text: string; logprobs: readonly never[] } & OfText)
  | ({
      type: 'response.output_text.annotation.added';
      annotation_index: number;
      annotation: Annotation;
    } & OfText)
  | ({ type: 'response.reasoning_summary_part.added'; part: SummaryText } & OfSummary)
  | ({ type: 'response.reasoning_summary_part.done'; part: SummaryText } & OfSummary)
  | ({ type: 'response.reasoning_summary_text.delta'; delta: string } & OfSummary)
  | ({ type: 'response.reasoning_summary_text.done'; text: string } & OfSummary)
  | ({ type: 'response.function_call_arguments.delta'; delta: string } & OfItem)
  | ({ type: 'response.function_call_arguments.done'; name: string; arguments: string } & OfItem)
  | ({ type: 'response.custom_tool_call_input.delta'; delta: string } & OfItem)
  | ({ type: 'response.custom_tool_call_input.done'; input: string } & OfItem)
  | ({ type: 'response.mcp_call_arguments.done'; arguments: string } & OfItem)
  | ({
      type:
        | 'response.mcp_call.in_progress'
        | 'response.mcp_call.completed'
        | 'response.mcp_call.failed';
    } & OfItem);

/**
 * An event of a response's stream. Numbers grow, and begin at 0. They leave a gap where another worker
 * takes the turn over.
 */
export type ResponsesEvent = ResponseEventBody & { sequence_number: number };

/** Items of a response, as the Responses API has them. */

export interface UrlCitation {
  type: 'url_citation';
  url: string;
  title: string;
  /** Characters of the text before the citation; a citation has no length of its own. */
  start_index: number;
  end_index: number;
}

/** A citation of a file, which the open specification does not have. */
export interface FileCitation {
  type: 'file_citation';
  file_id: string;
  filename: string;
  /** Characters of the text before the citation. */
  index: number;
}

export type Annotation = UrlCitation | FileCitation;

export interface OutputText {
  type: 'output_text';
  text: string;
  annotations: readonly Annotation[];
  logprobs: readonly never[];
}

interface SummaryText {
  type: 'summary_text';
  text: string;
}

export interface MessageItem {
  type: 'message';
  id: string;
  role: 'assistant';
  status: 'in_progress' | 'completed' | 'incomplete';
  content: readonly OutputText[];
}

export interface ReasoningItem {
  type: 'reasoning';
  id: string;
  status: 'in_progress' | 'completed' | 'incomplete';
  /** What the model shows of its thinking. */
  summary: readonly SummaryText[];
}

/** A call that the client runs. */
export interface FunctionCallItem {
  type: 'function_call';
  id: string;
  /** Id of the question, under which the client gives the output. */
  call_id: string;
  name: string;
  /** Absent: the tool is in none. */
  namespace?: string;
  /** JSON. */
  arguments: string;
  status: 'in_progress' | 'completed';
}

/** A call of a tool of the client's whose input is text. */
export interface CustomToolCallItem {
  type: 'custom_tool_call';
  id: string;
  /** Id of the question, under which the client gives the output. */
  call_id: string;
  name: string;
  /** Absent: the tool is in none. */
  namespace?: string;
  input: string;
  status: 'in_progress' | 'completed';
}

/** A call that the server runs. */
export interface McpCallItem {
  type: 'mcp_call';
  id: string;
  server_label: 'turnpike';
  name: string;
  /** JSON. */
  arguments: string;
  /** `incomplete`: the call goes on in a later response, or ended with its turn. */
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed';
  output: string | null;
  error: string | null;
  approval_request_id: string | null;
}

/** A call that waits for a person. */
export interface McpApprovalRequestItem {
  type: 'mcp_approval_request';
  /** Id of the question, which the answer names. */
  id: string;
  server_label: 'turnpike';
  name: string;
  /** JSON. */
  arguments: string;
  /** Who decides, where a rule says so: all of these. */
  awaits?: NonNullable<EventOf<'approval.requested'>['awaits']>;
  /** What the call asks. */
  question?: JsonObject;
}

export type ResponseItem =
  | MessageItem
  | ReasoningItem
  | FunctionCallItem
  | CustomToolCallItem
  | McpCallItem
  | McpApprovalRequestItem;

export interface Numbering {
  /** The attempt that counts from 0. */
  firstAttempt: number;
  /** The least number of the next event. */
  next: number;
}

/**
 * Numbers of each attempt's events, at most. A number must follow from the log alone, also where the log has
 * lost what an attempt streamed after its last commit: a reader may have had those events. So each attempt
 * counts from a number that no event of an earlier attempt has, and a reader that goes on after any number
 * misses nothing of the attempts after it. Clients keep numbers in 32 bits: there is room for 2,000 attempts.
 */
const NUMBERS_OF_ATTEMPT = 1_000_000;

/** Numbers the events that an event of an attempt makes. Pure. */
export function numberEvents(
  { firstAttempt, next }: Numbering,
  { attempt }: { attempt: number },
  bodies: readonly ResponseEventBody[],
): { numbering: Numbering; events: ResponsesEvent[] } {
  let number = next;
  const events = bodies.map((body): ResponsesEvent => {
    // A response's first event is there before any attempt.
    const isFirst = body.type === 'response.created';
    if (!isFirst) number = Math.max(number, (attempt - firstAttempt) * NUMBERS_OF_ATTEMPT);
    const event = { ...body, sequence_number: number };
    number += 1;
    return event;
  });
  return { numbering: { firstAttempt, next: number }, events };
}

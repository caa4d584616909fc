import type { ProviderErrorReason } from '../provider-errors.js';

/** An error of the provider, as the answer or in a stream. */
export interface ErrorAnswer {
  /** The status of the answer; in a stream, the status of the error's type. */
  status: number;
  /** `error.type`. */
  type: string | null;
  /** `error.details.error_code`. */
  code: string | null;
  /** `error.message`. */
  text: string;
  /** `error.details`; its fields depend on the code. */
  details?: unknown;
}

export interface AnswerJudgement {
  reason: ProviderErrorReason | undefined;
  retryable: boolean;
}

/** Codes about an account, a key or a workspace: other content would not help. */
const ACCOUNT_CODES: ReadonlySet<string> = new Set([
  'claude_code_key_creator_not_member',
  'claude_code_version_too_old',
  'cmek_key_disabled',
  'cmek_key_network_blocked',
  'organization_on_hold',
  'organization_type_not_supported',
  'parent_organization_required',
  'user_profile_required',
]);

const SPEND_CODES: ReadonlySet<string> = new Set([
  'contract_spend_limit_reached',
  'enforced_spend_limit_reached',
  'linked_organization_billing_unavailable',
  'linked_organization_spend_limit_reached',
  'user_profile_billing_not_authorized',
  'user_profile_not_billable',
]);

/** Texts of spend limits and used-up credit, which have no code. */
const SPEND_TEXT = /^You have reached your specified|credit balance is too low/i;

const THINKING_TEXT =
  /bound to a different conversation|invalid `?signature`?|thinking.*cannot be modified/is;

/**
 * The words for a prompt over the window: Anthropic's, those of llama.cpp, vLLM, Ollama, LM Studio and gateways, of Google,
 * Mistral and Cerebras.
 */
const PROMPT_TEXT = new RegExp(
  [
    'prompt is too long',
    'prompt too long',
    'exceeds? (?:the|your) (?:available )?context (?:size|length|window)',
    'exceeds? the context window',
    'maximum (?:context|prompt) length is',
    'greater than the context length',
    'context window exceeds limit',
    'context[_ ]length[_ ]exceeded',
    'larger than the context',
    'input (?:is )?too long',
    'too many (?:input )?tokens',
    'input token count .{0,40}exceeds the maximum',
    'too large for model with \\d+ maximum context length',
    'reduce the length of the messages',
  ].join('|'),
  'i',
);

/** The type of llama.cpp's error for it. */
const PROMPT_TYPE = 'exceed_context_size_error';

/**
 * Reason of the provider's refusal, and whether it may take the same request later. Known codes
 * decide first, texts only where the provider sends no code. Pure.
 */
export function judgeAnswer(answer: ErrorAnswer): AnswerJudgement {
  const reason = reasonOf(answer);
  return { reason, retryable: reason !== 'SPEND_LIMIT' && mayPass(answer.status) };
}

function reasonOf({ status, type, code, text }: ErrorAnswer): ProviderErrorReason | undefined {
  if (code === 'ramp_limit_exceeded') return 'RAMP_LIMIT';
  if (status === 402 || (code !== null && SPEND_CODES.has(code))) return 'SPEND_LIMIT';
  if (code !== null && ACCOUNT_CODES.has(code)) return undefined;
  // In a stream the type alone says what it is.
  if (type === PROMPT_TYPE) return 'PROMPT_TOO_LONG';
  switch (status) {
    case 400:
    case 413:
    case 422:
      return contentReason(status, text);
    case 404:
      return type !== null && notFound.test(type) && code === null ? 'MODEL_NOT_FOUND' : undefined;
    case 503:
      return type !== null && /^serviceUnavailable/i.test(type) ? 'OVERLOADED' : undefined;
    case 529:
      return 'OVERLOADED';
    default:
      return undefined;
  }
}

/** The types of an unknown model: Anthropic's, Bedrock's and Google's. */
const notFound = /^(?:not_found_error|ResourceNotFoundException|NOT_FOUND)$/;

/** Bedrock's words where a model may only be called by a profile of several regions. */
const PROFILE_TEXT = /on-demand throughput isn.t supported|inference profile/i;

function contentReason(status: number, text: string): ProviderErrorReason {
  if (SPEND_TEXT.test(text)) return 'SPEND_LIMIT';
  if (THINKING_TEXT.test(text)) return 'THINKING_REFUSED';
  if (PROMPT_TEXT.test(text)) return 'PROMPT_TOO_LONG';
  if (PROFILE_TEXT.test(text)) return 'MODEL_NOT_FOUND';
  return status === 413 ? 'REQUEST_TOO_LARGE' : 'INVALID_REQUEST';
}

/** Whether the same request may be taken later. */
function mayPass(status: number): boolean {
  return [408, 409, 424, 429].includes(status) || status >= 500;
}

import { describe, expect, it } from '@jest/globals';
import { judgeAnswer, type ErrorAnswer, type AnswerJudgement } from './map-error.js';

function refusal(text: string, more: Partial<ErrorAnswer> = {}): ErrorAnswer {
  return { status: 400, type: 'invalid_request_error', code: null, text, ...more };
}

function coded(status: number, code: string): ErrorAnswer {
  return { status, type: 'some_error', code, text: 'a text that may change' };
}

const limited = { status: 429, type: 'rate_limit_error', code: null, text: 'slow down' };

describe('judgeAnswer', () => {
  it.each<[string, ErrorAnswer, AnswerJudgement['reason'], boolean]>([
    [
      'an own spend limit',
      refusal('You have reached your specified API usage limits.'),
      'SPEND_LIMIT',
      false,
    ],
    [
      'no credit',
      refusal('Your credit balance is too low to access the API.'),
      'SPEND_LIMIT',
      false,
    ],
    ['402', { ...limited, status: 402 }, 'SPEND_LIMIT', false],
    ['a tier that is crossed', coded(429, 'enforced_spend_limit_reached'), 'SPEND_LIMIT', false],
    ['a contract that is spent', coded(429, 'contract_spend_limit_reached'), 'SPEND_LIMIT', false],
    [
      'another organization pays',
      coded(402, 'linked_organization_billing_unavailable'),
      'SPEND_LIMIT',
      false,
    ],
    ['a ramp limit', coded(429, 'ramp_limit_exceeded'), 'RAMP_LIMIT', true],
    ['a rate limit', limited, undefined, true],
    ['a code that is not known', coded(429, 'new_code'), undefined, true],
    ['overloaded', coded(529, 'compaction_unavailable'), 'OVERLOADED', true],
    ['500', { ...limited, status: 500 }, undefined, true],
    [
      'a long prompt',
      refusal('prompt is too long: 252427 tokens > 200000 maximum'),
      'PROMPT_TOO_LONG',
      false,
    ],
    [
      'a long prompt at a gateway',
      refusal('Prompt is too long', { status: 413 }),
      'PROMPT_TOO_LONG',
      false,
    ],
    [
      'a large body',
      refusal('Request exceeds the maximum size', { status: 413 }),
      'REQUEST_TOO_LARGE',
      false,
    ],
    [
      'bound thinking',
      refusal('messages.1.content.0: thinking block is bound to a different conversation'),
      'THINKING_REFUSED',
      false,
    ],
    [
      'damaged thinking',
      refusal('messages.1.content.0: Invalid `signature` in `thinking` block'),
      'THINKING_REFUSED',
      false,
    ],
    [
      'altered thinking',
      refusal('`thinking` blocks in the latest assistant message cannot be modified.'),
      'THINKING_REFUSED',
      false,
    ],
    [
      'anything else',
      refusal('messages.0: text content blocks must be non-empty'),
      'INVALID_REQUEST',
      false,
    ],
    ['a code of the content', coded(400, 'tool_name_conflict'), 'INVALID_REQUEST', false],
    ['a code of the account', coded(400, 'organization_on_hold'), undefined, false],
    [
      'a model that is gone',
      { ...limited, status: 404, type: 'not_found_error' },
      'MODEL_NOT_FOUND',
      false,
    ],
    ['a route that is not there', { ...limited, status: 404, type: null }, undefined, false],
    ['a key', { ...limited, status: 401 }, undefined, false],
  ])('%s', (_what, answer, reason, retryable) => {
    expect(judgeAnswer(answer)).toEqual({ reason, retryable });
  });
});

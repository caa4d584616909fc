import { describe, expect, it } from '@jest/globals';
import { judgeAnswer, type AnswerJudgement, type ErrorAnswer } from './judge-answer.js';

function coded(status: number, code: string): ErrorAnswer {
  return { status, type: 'some_error', code, text: 'a text that may change' };
}

const gone = { status: 404, type: 'not_found_error' };
const limited = { status: 429, type: 'rate_limit_error', code: null, text: 'slow down' };

describe('judgeAnswer', () => {
  it.each<[string, ErrorAnswer, AnswerJudgement['reason'], boolean]>([
    ['402', { ...limited, status: 402 }, 'SPEND_LIMIT', false],
    ['a tier that is crossed', coded(429, 'enforced_spend_limit_reached'), 'SPEND_LIMIT', false],
    ['a contract that is spent', coded(429, 'contract_spend_limit_reached'), 'SPEND_LIMIT', false],
    ['another pays', coded(402, 'linked_organization_billing_unavailable'), 'SPEND_LIMIT', false],
    ['a ramp limit', coded(429, 'ramp_limit_exceeded'), 'RAMP_LIMIT', true],
    ['a rate limit', limited, undefined, true],
    ['a code that is not known', coded(429, 'new_code'), undefined, true],
    ['overloaded', coded(529, 'compaction_unavailable'), 'OVERLOADED', true],
    ['500', { ...limited, status: 500 }, undefined, true],
    ['a code of the content', coded(400, 'tool_name_conflict'), 'INVALID_REQUEST', false],
    ['a code of the account', coded(400, 'organization_on_hold'), undefined, false],
    ['a model that is gone', { ...limited, ...gone }, 'MODEL_NOT_FOUND', false],
    ['a route that is not there', { ...limited, status: 404, type: null }, undefined, false],
    ['a key', { ...limited, status: 401 }, undefined, false],
  ])('%s', (_what, answer, reason, retryable) => {
    expect(judgeAnswer(answer)).toEqual({ reason, retryable });
  });

  it.each<[string, AnswerJudgement['reason'], number?]>([
    ['You have reached your specified API usage limits.', 'SPEND_LIMIT'],
    ['Your credit balance is too low to access the API.', 'SPEND_LIMIT'],
    ['prompt is too long: 252427 tokens > 200000 maximum', 'PROMPT_TOO_LONG'],
    ['the request exceeds the available context size (8192 tokens)', 'PROMPT_TOO_LONG'],
    ["This model's maximum context length is 4096 tokens.", 'PROMPT_TOO_LONG'],
    ['The number of tokens is greater than the context length (4096)', 'PROMPT_TOO_LONG'],
    // As a gateway says it.
    ['Prompt is too long', 'PROMPT_TOO_LONG', 413],
    ['Request exceeds the maximum size', 'REQUEST_TOO_LARGE', 413],
    [
      'messages.1.content.0: thinking block is bound to a different conversation',
      'THINKING_REFUSED',
    ],
    ['messages.1.content.0: Invalid `signature` in `thinking` block', 'THINKING_REFUSED'],
    ['`thinking` blocks in the latest assistant message cannot be modified.', 'THINKING_REFUSED'],
    ['messages.0: text content blocks must be non-empty', 'INVALID_REQUEST'],
  ])('a refusal that says %j is %s', (text, reason, status = 400) => {
    const refusal = { status, type: 'invalid_request_error', code: null, text };
    expect(judgeAnswer(refusal)).toEqual({ reason, retryable: false });
  });
});

import { invalidRequest } from '../../errors/typed-error.js';
import { isPlainObject } from '../../platform/json.js';
import { checkAnswerCount, type GivenAnswer } from '../../turn/approvals/validate-answer.js';
import type { WireAnswers } from '../conversation/match-answers.js';
import type { ChatMessage } from './chat-message.js';

type Decision = WireAnswers['decisions'][number];
type Output = WireAnswers['outputs'][number];

/**
 * Parses the answers in the last step of an assistant's message; earlier requests answered the
 * earlier steps.
 *
 * @throws TypedError INVALID_REQUEST 400.
 */
export function parseGivenParts({ content, field }: ChatMessage): WireAnswers {
  const { parts } = content;
  if (!Array.isArray(parts)) {
    throw invalidRequest(`'${field}.parts' is missing or no list: send the message as it is`);
  }
  const list = parts as unknown[];
  const step = list.findLastIndex((part) => isPlainObject(part) && part['type'] === 'step-start');
  const given = list.flatMap((part, index) => {
    if (index <= step || !isPlainObject(part) || !isToolPart(part['type'])) return [];
    return parsePart(part, `${field}.parts[${index}]`) ?? [];
  });
  checkAnswerCount(given.length);
  return {
    decisions: given.filter((one) => 'approvalId' in one),
    outputs: given.filter((one) => 'callId' in one),
  };
}

function isToolPart(type: unknown): boolean {
  return typeof type === 'string' && (type === 'dynamic-tool' || type.startsWith('tool-'));
}

function parsePart(part: Record<string, unknown>, at: string): Decision | Output | undefined {
  const { state, toolCallId: callId, approval, providerExecuted } = part;
  if (state === 'approval-responded') return parseApproval(approval, at);
  // Calls of the server's are marked as run by somebody else.
  if (providerExecuted === true) return undefined;
  if (state !== 'output-available' && state !== 'output-error') return undefined;
  if (typeof callId !== 'string') throw invalidRequest(`'${at}.toolCallId' must be text`);
  const isError = state === 'output-error';
  // A tool that gives nothing has ended all the same.
  const output = (isError ? part['errorText'] : part['output']) ?? null;
  return { callId, given: { ...answer('answer'), output, isError } };
}

function parseApproval(approval: unknown, at: string): Decision {
  const given = isPlainObject(approval) ? approval : {};
  const { id: approvalId, approved: isApproved, reason } = given;
  if (typeof approvalId !== 'string' || typeof isApproved !== 'boolean') {
    throw invalidRequest(
      `'${at}.approval' must have the 'id' of the request and 'approved': use addToolApprovalResponse`,
    );
  }
  if (reason !== undefined && reason !== null && typeof reason !== 'string') {
    throw invalidRequest(`'${at}.approval.reason' must be text`);
  }
  // The reason of an approval does not go to the model.
  return {
    approvalId,
    given: isApproved ? answer('approve') : answer('deny', reason ?? undefined),
  };
}

function answer(decision: string, message?: string): GivenAnswer {
  return { decision, message, input: undefined, rule: undefined };
}

import type { UIMessage } from 'ai';
import { checkAnswerCount, type GivenAnswer } from '../../turn/approvals/validate-answer.js';
import type { WireAnswers } from '../conversation/questions.js';
import { askedFirst } from './dialect/ai-sdk-calls.js';

type Part = UIMessage['parts'][number];
type Decision = WireAnswers['decisions'][number];
type Output = WireAnswers['outputs'][number];

/**
 * The answers in the parts of an assistant's message.
 *
 * @throws TypedError INVALID_REQUEST 400 for too many.
 */
export function readAnswers({ parts }: UIMessage): WireAnswers {
  const given = parts.flatMap((part) => readPart(part) ?? []);
  checkAnswerCount(given.length);
  return {
    decisions: given.filter((one) => 'approvalId' in one),
    outputs: given.filter((one) => 'callId' in one),
  };
}

function readPart(part: Part): Decision | Output | undefined {
  if (!('toolCallId' in part)) return undefined;
  if (part.state === 'approval-responded') {
    const { id: approvalId, approved, reason } = part.approval;
    // The reason of an approval does not go to the model.
    const given = approved ? answer('approve') : answer('deny', reason);
    return { approvalId: askedFirst(approvalId), given };
  }
  // Calls of the server's are marked as run by somebody else.
  if (part.providerExecuted === true) return undefined;
  const callId = askedFirst(part.toolCallId);
  if (part.state === 'output-available') {
    return { callId, given: { ...answer('answer'), output: part.output, isError: false } };
  }
  if (part.state !== 'output-error') return undefined;
  return { callId, given: { ...answer('answer'), output: part.errorText, isError: true } };
}

function answer(decision: GivenAnswer['decision'], message?: string): GivenAnswer {
  return { decision, message, input: undefined, rule: undefined };
}

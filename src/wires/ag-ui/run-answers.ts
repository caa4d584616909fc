import { invalidRequest } from '../../errors/typed-error.js';
import { isPlainObject } from '../../platform/json.js';
import { checkAnswerCount, type GivenAnswer } from '../../turn/approvals/validate-answer.js';
import type { WireAnswers } from '../conversation/questions.js';
import type { CheckedRun } from './check-run.js';
import { printJson } from '../../platform/exact-json.js';

type Message = CheckedRun['messages'][number];
type ToolMessage = Extract<Message, { role: 'tool' }>;
type ResumeEntry = NonNullable<CheckedRun['resume']>[number];

/**
 * Answers of a run to the questions of the run before: entries of `resume`, and outputs in the tools'
 * messages.
 *
 * @throws TypedError INVALID_REQUEST 400.
 */
export function readAnswers(
  resume: readonly ResumeEntry[],
  fresh: readonly Message[],
): WireAnswers {
  const outputs = fresh.flatMap((message) =>
    message.role === 'tool' ? [{ callId: message.toolCallId, given: readOutput(message) }] : [],
  );
  checkAnswerCount(resume.length + outputs.length);
  return { decisions: resume.map(readEntry), outputs };
}

function readEntry(
  { interruptId: approvalId, status, payload }: ResumeEntry,
  index: number,
): WireAnswers['decisions'][number] {
  if (status === 'cancelled') {
    return { approvalId, mayBeLate: true, given: answer('deny', undefined) };
  }
  const given = readPayload(payload, `resume[${index}].payload`);
  return { approvalId, given };
}

/** An answer in the words of an interrupt's `responseSchema`, which is ours. */
function readPayload(payload: unknown, field: string): GivenAnswer {
  const { approved, accepted, reason, editedArgs } = isPlainObject(payload) ? payload : {};
  const isApproved = approved ?? accepted;
  if (typeof isApproved !== 'boolean') {
    throw invalidRequest(
      `'${field}.approved' must be true or false; beside it may be 'reason' and 'editedArgs'`,
    );
  }
  if (reason !== undefined && typeof reason !== 'string') {
    throw invalidRequest(`'${field}.reason' must be text`);
  }
  // A denied call does not run: edited arguments have no use.
  if (!isApproved) return answer('deny', reason);
  return { ...answer('approve', undefined), input: editedArgs };
}

function readOutput({ content, error }: ToolMessage): GivenAnswer {
  const { text, isError } = outputOf(content, error);
  return { ...answer('answer', undefined), output: text, isError };
}

/** What a tool's message gave. */
export function outputOf(content: unknown, error: unknown): { text: string; isError: boolean } {
  const text = contentText(content);
  if (typeof error !== 'string' || error === '') return { text, isError: false };
  return { text: [error, text].filter((one) => one !== '').join('\n\n'), isError: true };
}

/** The text of a message; parts that are no text are in it as their JSON. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const parts = (content as unknown[]).map((part) =>
    isPlainObject(part) && typeof part['text'] === 'string' ? part['text'] : printJson(part),
  );
  return parts.join('\n\n');
}

function answer(decision: GivenAnswer['decision'], message: string | undefined): GivenAnswer {
  return { decision, message, input: undefined, rule: undefined };
}

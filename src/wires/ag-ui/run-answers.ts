import { invalidRequest } from '../../errors/typed-error.js';
import { isPlainObject } from '../../platform/json.js';
import { checkAnswerCount, type GivenAnswer } from '../../turn/approvals/validate-answer.js';
import type { AgUiMessage } from './dialect/ag-ui-event.js';

/** Answers of a run to the questions of the run before. */
export interface RunAnswers {
  /** Entries of `resume`, by the approval's id. */
  interrupts: readonly { approvalId: string; isCancelled: boolean; given: GivenAnswer }[];
  /** Outputs in the tools' messages, by the call; some may be of calls that the server ran. */
  outputs: readonly { callId: string; given: GivenAnswer }[];
}

/** @throws TypedError INVALID_REQUEST 400. */
export function parseAnswers(resume: unknown, fresh: readonly AgUiMessage[]): RunAnswers {
  if (!Array.isArray(resume)) throw invalidRequest("'resume' must be a list");
  const outputs = fresh.flatMap((message) => {
    const { role, toolCallId: callId } = message;
    return role === 'tool' && typeof callId === 'string'
      ? [{ callId, given: parseOutput(message) }]
      : [];
  });
  checkAnswerCount(resume.length + outputs.length);
  const entries = resume as unknown[];
  return {
    interrupts: entries.map((entry, index) => parseEntry(entry, `resume[${index}]`)),
    outputs,
  };
}

function parseEntry(entry: unknown, field: string): RunAnswers['interrupts'][number] {
  const { interruptId: approvalId, status, payload } = isPlainObject(entry) ? entry : {};
  if (typeof approvalId !== 'string') {
    throw invalidRequest(`'${field}.interruptId' must be the id of an interrupt`);
  }
  if (status !== 'resolved' && status !== 'cancelled') {
    throw invalidRequest(`'${field}.status' must be "resolved" or "cancelled"`);
  }
  if (status === 'cancelled') {
    return { approvalId, isCancelled: true, given: answer('deny', undefined) };
  }
  return { approvalId, isCancelled: false, given: parsePayload(payload, `${field}.payload`) };
}

function parsePayload(payload: unknown, field: string): GivenAnswer {
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

function parseOutput(message: AgUiMessage): GivenAnswer {
  const { error } = message as { error?: unknown };
  const isError = typeof error === 'string' && error !== '';
  const text = textOf(message.content);
  const output = isError ? [error, text].filter((one) => one !== '').join('\n\n') : text;
  return { ...answer('answer', undefined), output, isError };
}

/** The text of a tool's output; parts that are no text are in it as their JSON. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return JSON.stringify(content ?? '');
  return (content as unknown[])
    .map((part) =>
      isPlainObject(part) && typeof part['text'] === 'string' ? part['text'] : JSON.stringify(part),
    )
    .join('\n\n');
}

function answer(decision: string, message: string | undefined): GivenAnswer {
  return { decision, message, input: undefined, rule: undefined };
}

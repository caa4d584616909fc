import { ruleFault } from '../../governance/permissions/permission-rules.js';
import { isPlainObject, type JsonObject } from '../../platform/json.js';
import { invalidRequest } from '../../errors/typed-error.js';
import type { ToolRegistry } from '../../tools/registry.js';
import type { Answer, ApprovalRow, Decision } from './approval-writes.js';
import { printJson } from '../../platform/exact-json.js';

/** An answer as it came, with fields of the right kind. */
export interface GivenAnswer {
  decision: Decision;
  message: string | undefined;
  input: unknown;
  rule: string | undefined;
  /** A client tool's output: text or a JSON value. */
  output?: unknown;
  isError?: boolean | undefined;
}

/** Answers in one request: many more than a step asks for, and few enough for one transaction. */
const MOST_ANSWERS = 1_000;

/** Characters of the message that the model gets with a denial. */
export const LONGEST_MESSAGE = 4_000;

/** @throws TypedError INVALID_REQUEST for more answers than one request may give. */
export function checkAnswerCount(answers: number): void {
  if (answers <= MOST_ANSWERS) return;
  throw invalidRequest(
    `There are ${answers} answers; the limit of one request is ${MOST_ANSWERS}: send those to what the last step asked`,
  );
}

type ToolList = Pick<ToolRegistry, 'list' | 'select'>;

/**
 * Checks an answer against its approval.
 *
 * @throws TypedError INVALID_REQUEST, with what may be sent instead.
 */
export function validateAnswer(
  tools: ToolList,
  asked: ApprovalRow,
  given: GivenAnswer,
): Omit<Answer, 'by' | 'files'> {
  const { decision, input } = given;
  checkKind(asked, decision);
  checkFields(decision, given);
  const rule = validateRule(tools, given.rule);
  return {
    decision,
    message: given.message ?? null,
    editedInput: input === undefined ? null : validateInput(tools, asked, input),
    grantRule: rule,
    ...(decision === 'answer'
      ? { output: textOf(given.output), isError: given.isError ?? false }
      : { output: null, isError: null }),
  };
}

function checkKind({ id, kind, name }: ApprovalRow, decision: Decision): void {
  if (kind === 'client-tool' && decision !== 'answer' && decision !== 'deny') {
    throw invalidRequest(
      `${name} is a tool of the client, which runs it: send decision "answer" with its output, or "deny"`,
    );
  }
  if (kind !== 'client-tool' && decision === 'answer') {
    throw invalidRequest(
      `${id} asks whether ${name} may run here: send decision "approve" or "deny"; "answer" is for tools of the client`,
    );
  }
  if (kind === 'unknown-outcome' && decision === 'approve-session') {
    throw invalidRequest(
      "Whether a call may run again is decided for this call only: 'approve' or 'deny'",
    );
  }
}

function checkFields(decision: Decision, given: GivenAnswer): void {
  const { message = '', input, rule, output, isError } = given;
  if (message.length > LONGEST_MESSAGE || message.includes('\0')) {
    throw invalidRequest(
      `The message of a denial, its reason, must have at most ${LONGEST_MESSAGE} characters, and none that is NUL`,
    );
  }
  if (rule !== undefined && decision !== 'approve-session') {
    throw invalidRequest("'rule' goes with the decision approve-session only");
  }
  if (input !== undefined && (decision === 'deny' || decision === 'answer')) {
    throw invalidRequest(`'input' goes with an approval, not with ${decision}`);
  }
  if (decision === 'answer') {
    if (output !== undefined) return;
    throw invalidRequest("Missing 'output': what the tool gave, as text or JSON");
  }
  if (output !== undefined || isError !== undefined) {
    throw invalidRequest("'output' and 'isError' go with the decision answer only");
  }
}

function validateRule(tools: ToolList, rule: string | undefined): string | null {
  if (rule === undefined) return null;
  const fault = ruleFault(rule, tools.list());
  if (fault !== undefined) throw invalidRequest(`'rule' ${fault}`);
  return rule;
}

function validateInput(tools: ToolList, { name, kind }: ApprovalRow, input: unknown): JsonObject {
  if (kind === 'unknown-outcome') {
    throw invalidRequest("'input' cannot be changed: the call may have run with what it had");
  }
  if (!isPlainObject(input)) throw invalidRequest("'input' must be an object");
  const [tool] = tools.select([name]).tools;
  // Input for a tool that only workers know is checked by the worker.
  const checked = tool?.checkInput(input);
  if (checked !== undefined && !checked.ok) {
    throw invalidRequest(`'input' does not fit ${name}: ${checked.message}`);
  }
  // The request body was JSON, so its objects are too.
  return input as JsonObject;
}

function textOf(output: unknown): string {
  return typeof output === 'string' ? output : printJson(output);
}

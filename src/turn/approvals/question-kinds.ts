import { invalidRequest } from '../../errors/typed-error.js';
import { printJson } from '../../platform/exact-json.js';
import { checkContent, readForm } from '../../platform/parsing/form.js';
import { isPlainObject } from '../../platform/json.js';
import {
  type AnswerInput,
  MAX_DENIAL_CHARS,
  type Answer,
  type ApprovalRow,
} from './approval-writes.js';

/** Characters of the JSON that a question is answered with. */
const MAX_CONTENT_CHARS = 65_536;

/**
 * Checks the answer to a question of a call.
 *
 * @throws TypedError INVALID_REQUEST, with what may be sent instead; nothing is stored, and the question stays open.
 */
export function validateCallAnswer(
  asked: ApprovalRow,
  { decision, message = '', input, rule, output, isError, content }: AnswerInput,
): Omit<Answer, 'by' | 'files'> {
  if (message.length > MAX_DENIAL_CHARS || message.includes('\0')) {
    throw invalidRequest(`'message' must have at most ${MAX_DENIAL_CHARS} characters and no NUL`);
  }
  if ([input, rule, output, isError].some((field) => field !== undefined)) {
    throw invalidRequest(
      "'input', 'rule', 'output' and 'isError' do not answer the question of a call: send 'content'",
    );
  }
  if (content !== undefined && decision !== 'answer') {
    throw invalidRequest("'content' goes with the decision answer only");
  }
  const answer = {
    decision,
    message: message === '' ? null : message,
    editedInput: null,
    grantRule: null,
    output: null,
    isError: null,
  };
  if (decision === 'deny' || decision === 'cancel') return answer;
  if (asked.kind === 'mcp-authorize') {
    throw invalidRequest(
      `${asked.id} asks for a log-in: POST /api/harness/approvals/${asked.id}/authorize gives the page to log in at. Or send decision "deny"`,
    );
  }
  if (decision === 'approve-session') {
    throw invalidRequest(`${asked.id} asks something: send decision "answer", "deny" or "cancel"`);
  }
  return { ...answer, output: contentOf(asked, content) };
}

function contentOf({ id, question }: ApprovalRow, content: unknown = {}): string | null {
  if (!isPlainObject(content)) throw invalidRequest("'content' must be an object");
  if (question?.['mode'] === 'url') {
    if (Object.keys(content).length === 0) return null;
    throw invalidRequest(`${id} asks to open a page: send no 'content'`);
  }
  const text = printJson(content);
  if (text.length > MAX_CONTENT_CHARS || text.includes('\\u0000')) {
    throw invalidRequest(
      `'content' must have at most ${MAX_CONTENT_CHARS} characters as JSON, and no NUL`,
    );
  }
  const form = readForm(question?.['schema']);
  // What asks without a form takes any object.
  if ('fault' in form) return text;
  const checked = checkContent(form, content);
  if ('content' in checked) return printJson(checked.content);
  const { faults } = checked;
  const told = Object.entries(faults).map(([name, fault]) => `${name} ${fault}`);
  throw invalidRequest(`'content' does not fit the form: ${told.join('; ')}`, { fields: faults });
}

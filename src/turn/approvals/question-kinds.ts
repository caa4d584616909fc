import { invalidRequest } from '../../errors/typed-error.js';
import { ruleFault } from '../../governance/permissions/permission-rules.js';
import { printJson } from '../../platform/exact-json.js';
import { isPlainObject, type JsonObject } from '../../platform/json.js';
import { checkContent, readForm } from '../../platform/parsing/form.js';
import type { ApprovalKind } from '../../storage/governance-schema.js';
import type { ToolRegistry } from '../../tools/registry.js';
import type { CallAnswer } from '../../tools/tool.js';
import {
  type Answer,
  type AnswerInput,
  type ApprovalRow,
  MAX_DENIAL_CHARS,
} from './approval-writes.js';

/** Characters of the JSON that a form is answered with. */
const MAX_CONTENT_CHARS = 65_536;

type ToolList = Pick<ToolRegistry, 'list' | 'select'>;
type ValidAnswer = Omit<Answer, 'by' | 'files'>;

/** A question to a person, of one kind. */
export interface QuestionKind {
  /** Whether the call itself asks, and runs again with the answer; else the question is about the call. */
  isOfCall: boolean;
  /** What the call lacks without an answer, for its model. Absent: an answer from a person. */
  needs?: string;
  /** What a call ends with whose question was declined. Absent: it runs again, and sees the answer. */
  refusal?(asked: ApprovalRow): string;
  /** What the operator's choice for questions without an answer is for this one. */
  withoutAnswer(chosen: 'approve' | 'deny'): 'approve' | 'deny';
  /**
   * Checks an answer.
   *
   * @throws TypedError INVALID_REQUEST, with what may be sent instead; nothing is stored, and the question stays open.
   */
  validate(asked: ApprovalRow, given: AnswerInput, tools: ToolList): ValidAnswer;
}

const deny = (): 'deny' => 'deny';

/** May the call run? */
const permission: QuestionKind = {
  isOfCall: false,
  withoutAnswer: (chosen) => chosen,
  validate: (asked, given, tools) => {
    refuseOtherDecisions(asked, given);
    const { decision, rule, input } = given;
    checkReason(given);
    if (rule !== undefined && decision !== 'approve-session') throw ruleAlone();
    if (input !== undefined && decision === 'deny') {
      throw invalidRequest("'input' goes with an approval, not with deny");
    }
    refuseOutput(given);
    return {
      ...noAnswer(given),
      grantRule: validRule(tools, rule),
      editedInput: input === undefined ? null : validInput(tools, asked, input),
    };
  },
};

/** May a call run again whose process died? A time that is over never repeats what may have taken effect. */
const runAgain: QuestionKind = {
  isOfCall: false,
  withoutAnswer: deny,
  validate: (asked, given) => {
    refuseOtherDecisions(asked, given);
    if (given.decision === 'approve-session') {
      throw invalidRequest(
        "The question is whether a call may run again: send decision 'approve' or 'deny'",
      );
    }
    checkReason(given);
    if (given.rule !== undefined) throw ruleAlone();
    if (given.input !== undefined && given.decision === 'deny') {
      throw invalidRequest("'input' goes with an approval, not with deny");
    }
    refuseOutput(given);
    if (given.input !== undefined) {
      throw invalidRequest(
        "'input' cannot be changed: the call may already have run with its own input",
      );
    }
    return noAnswer(given);
  },
};

/** The client runs the call, and its answer is the output. Nobody answers for a client. */
const clientTool: QuestionKind = {
  isOfCall: false,
  withoutAnswer: deny,
  validate: ({ name }, given) => {
    const { decision, rule, input, output, isError } = given;
    if (decision !== 'answer' && decision !== 'deny') {
      throw invalidRequest(
        `${name} is a tool of the client, which runs it: send decision "answer" with its output, or "deny"`,
      );
    }
    checkReason(given);
    if (rule !== undefined) throw ruleAlone();
    if (input !== undefined) {
      throw invalidRequest(`'input' goes with an approval, not with ${decision}`);
    }
    if (decision === 'deny') {
      refuseOutput(given);
      return noAnswer(given);
    }
    if (output === undefined) {
      throw invalidRequest("Missing 'output': the output of the tool, as text or JSON");
    }
    const text = typeof output === 'string' ? output : printJson(output);
    return { ...noAnswer(given), output: text, isError: isError ?? false };
  },
};

/** The call asks its person to fill a form, or to open a page. */
const form: QuestionKind = {
  isOfCall: true,
  withoutAnswer: deny,
  validate: (asked, given) => {
    const { decision } = given;
    checkAnswerOfCall(given);
    if (decision === 'deny' || decision === 'cancel') return noAnswer(given);
    if (decision === 'approve-session') {
      throw invalidRequest(
        `${asked.id} asks something: send decision "answer", "deny" or "cancel"`,
      );
    }
    return { ...noAnswer(given), output: contentOf(asked, given.content) };
  },
};

/** The call needs a log-in of its person, which alone approves it. */
const logIn: QuestionKind = {
  isOfCall: true,
  needs: 'a log-in',
  refusal: ({ decidedBy, message }) => {
    if (decidedBy === 'deadline') {
      return 'not run: nobody logged in at the MCP server in time. Go on without it, or call it again later.';
    }
    return `not run: a person declined to log in at the MCP server${message === null ? '.' : `: ${message}`}`;
  },
  withoutAnswer: deny,
  validate: ({ id }, given) => {
    checkAnswerOfCall(given);
    if (given.decision === 'deny' || given.decision === 'cancel') return noAnswer(given);
    throw invalidRequest(
      `${id} asks for a log-in: POST /api/harness/approvals/${id}/authorize gives the page to log in at. Or send decision "deny"`,
    );
  },
};

const questionKinds: Record<ApprovalKind, QuestionKind> = {
  tool: permission,
  'unknown-outcome': runAgain,
  'client-tool': clientTool,
  elicitation: form,
  'mcp-authorize': logIn,
};

/** Whether the call itself asks questions of this kind. */
export function isOfCall(kind: ApprovalKind): kind is CallAnswer['kind'] {
  return questionKinds[kind].isOfCall;
}

/** The kind of a question. One that awaits several people is answered by them alone, with a yes or a no. */
export function kindOf({ kind, awaits }: Pick<ApprovalRow, 'kind' | 'awaits'>): QuestionKind {
  return awaits === null ? questionKinds[kind] : byQuorum(questionKinds[kind]);
}

/** More than a yes or a no would be decided by one person. */
function byQuorum(kind: QuestionKind): QuestionKind {
  return {
    ...kind,
    withoutAnswer: deny,
    validate: (asked, given, tools) => {
      const answer = kind.validate(asked, given, tools);
      if (answer.editedInput !== null) {
        throw invalidRequest(
          "'input' cannot be changed here: who approves must have seen the same call. Deny it with a message that says what to change",
        );
      }
      if (answer.decision === 'approve-session') {
        throw invalidRequest(
          'The decision approve-session is for calls that their requester alone decides: send approve or deny',
        );
      }
      return answer;
    },
  };
}

function noAnswer({ decision, message = '' }: AnswerInput): ValidAnswer {
  return {
    decision,
    message: message === '' ? null : message,
    editedInput: null,
    grantRule: null,
    output: null,
    isError: null,
  };
}

/** Refuses what does not answer whether a call may run. */
function refuseOtherDecisions({ id, name }: ApprovalRow, { decision }: AnswerInput): void {
  if (decision === 'cancel') {
    throw invalidRequest('The decision cancel closes a question of a call: send "deny" here');
  }
  if (decision === 'answer') {
    throw invalidRequest(
      `${id} asks whether ${name} may run here: send decision "approve" or "deny"; "answer" is for tools of the client`,
    );
  }
}

/** Checks what goes with any answer about a call. */
function checkReason({ message, content }: AnswerInput): void {
  if (content !== undefined) {
    throw invalidRequest("'content' answers the question of a call: this approval has none");
  }
  checkMessage(message, ', the reason of a denial,');
}

/** Checks what goes with any answer to a question of a call. */
function checkAnswerOfCall({ decision, message, content, ...others }: AnswerInput): void {
  checkMessage(message, '');
  const { input, rule, output, isError } = others;
  if ([input, rule, output, isError].some((field) => field !== undefined)) {
    throw invalidRequest(
      "'input', 'rule', 'output' and 'isError' do not answer the question of a call: send 'content'",
    );
  }
  if (content !== undefined && decision !== 'answer') {
    throw invalidRequest("'content' goes with the decision answer only");
  }
}

function checkMessage(message = '', what: string): void {
  if (message.length <= MAX_DENIAL_CHARS && !message.includes('\0')) return;
  throw invalidRequest(
    `'message'${what} must have at most ${MAX_DENIAL_CHARS} characters and no NUL`,
  );
}

function refuseOutput({ output, isError }: AnswerInput): void {
  if (output === undefined && isError === undefined) return;
  throw invalidRequest("'output' and 'isError' go with the decision answer only");
}

function ruleAlone(): Error {
  return invalidRequest("'rule' goes with the decision approve-session only");
}

function validRule(tools: ToolList, rule: string | undefined): string | null {
  if (rule === undefined) return null;
  const fault = ruleFault(rule, tools.list());
  if (fault !== undefined) throw invalidRequest(`'rule' ${fault}`);
  return rule;
}

function validInput(tools: ToolList, { name }: ApprovalRow, input: unknown): JsonObject {
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
  const read = readForm(question?.['schema']);
  // What asks without a form takes any object.
  if ('fault' in read) return text;
  const checked = checkContent(read, content);
  if ('content' in checked) return printJson(checked.content);
  const { faults } = checked;
  const told = Object.entries(faults).map(([name, fault]) => `${name} ${fault}`);
  throw invalidRequest(`'content' does not fit the form: ${told.join('; ')}`, { fields: faults });
}

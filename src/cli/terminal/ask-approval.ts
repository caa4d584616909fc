import {
  TurnpikeError,
  type HarnessEvent,
  type TurnEvents,
  type TurnpikeClient,
} from '../../client/turnpike-client.js';
import { type ChatInput, editInput } from './terminal-input.js';
import { plainText, type Screen } from './screen.js';
import { answerQuestion } from './ask-form.js';

export type Question = TurnEvents['approval:request'];

export interface AskDeps {
  client: Pick<TurnpikeClient, 'approvals'>;
  input: ChatInput;
  screen: Screen;
  environment: Record<string, string | undefined>;
}

type QuestionEvent = Extract<
  HarnessEvent,
  { event: 'approval:request' | 'subagent:approval:request' }
>;

export function isQuestion(event: HarnessEvent): event is QuestionEvent {
  return event.event === 'approval:request' || event.event === 'subagent:approval:request';
}

const permissionPrompt = 'y yes · s yes, for the session · n no · e edit first ';
const toolPrompt = 'a answer for the application · n no ';

/**
 * Asks the user a question that a turn is parked on, and sends the answer. An answer that came from
 * elsewhere meanwhile counts.
 *
 * @returns whether the question is answered; false at the end of input or after Ctrl-C.
 */
export async function askApproval(deps: AskDeps, question: Question): Promise<boolean> {
  for (;;) {
    const answered = await askOnce(deps, question);
    if (answered !== 'again') return answered;
  }
}

async function askOnce(deps: AskDeps, question: Question): Promise<boolean | 'again'> {
  const { client, input } = deps;
  if (question.kind === 'elicitation') return tryAnswer(deps, () => answerQuestion(deps, question));
  const isTool = question.kind === 'client-tool';
  const answer = await input.key(isTool ? toolPrompt : permissionPrompt, isTool ? 'an' : 'ysne');
  if (answer === undefined) return false;
  const { key, rest } = answer;
  const { approvalId } = question;
  return tryAnswer(deps, async () => {
    if (key === 'y') await client.approvals.approve(approvalId);
    else if (key === 's') await client.approvals.approveForSession(approvalId);
    else if (key === 'n') await deny(deps, approvalId, rest);
    else if (key === 'a') return answerTool(deps, approvalId, rest);
    else return approveEdited(deps, question);
    return true;
  });
}

/** Sends an answer. One that the server refuses is asked for again. */
async function tryAnswer(
  { screen }: Pick<AskDeps, 'screen'>,
  send: () => Promise<boolean | 'again'>,
): Promise<boolean | 'again'> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof TurnpikeError)) throw error;
    screen.err(`${screen.paint('yellow', `! ${plainText(error.message)}`)}\n`);
    // An earlier answer or the deadline has decided: the turn goes on.
    return error.code === 'APPROVAL_RESOLVED' || error.code === 'APPROVAL_NOT_FOUND' || 'again';
  }
}

async function deny({ client, input }: AskDeps, approvalId: string, rest?: string): Promise<void> {
  const why = (rest ?? (await input.line('why? (the model gets the reason) ')) ?? '').trim();
  await client.approvals.deny(approvalId, why === '' ? undefined : why);
}

async function answerTool(
  { client, input }: AskDeps,
  approvalId: string,
  rest?: string,
): Promise<boolean> {
  const output = rest ?? (await input.line('output: '));
  if (output === undefined) return false;
  await client.approvals.answer(approvalId, output);
  return true;
}

async function approveEdited(
  { client, screen, environment }: AskDeps,
  { approvalId, input }: Question,
): Promise<true | 'again'> {
  let edited: Record<string, unknown>;
  try {
    edited = await editInput(input, environment);
  } catch (error) {
    screen.err(`${screen.paint('yellow', `! ${(error as Error).message}`)}\n`);
    return 'again';
  }
  await client.approvals.approve(approvalId, { input: edited });
  return true;
}

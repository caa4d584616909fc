import {
  TurnpikeError,
  type FollowedTurn,
  type TurnpikeClient,
} from '../../client/turnpike-client.js';
import { commandName } from '../../platform/process/command-name.js';
import type { Question } from './ask-approval.js';
import { plainText, type Screen } from './screen.js';

/** The exit code of a command that left a turn which waits for a person's answer. */
export const EXIT_WAITING = 3;

/** Whether a person at this terminal can be asked. */
export function isAttended({ json }: Pick<Screen, 'json'>): boolean {
  return process.stdin.isTTY && process.stdout.isTTY && !json;
}

type ApprovalCalls = { readonly approvals: Pick<TurnpikeClient['approvals'], 'get'> };

/**
 * How a command without a person leaves a turn that waits for answers: it names them on standard error, with the
 * commands that answer.
 *
 * @param hasOwnServer the server ends with the command.
 * @returns for `printTurn`.
 */
export function leaveUnanswered(
  client: ApprovalCalls,
  { turnId }: Pick<FollowedTurn, 'turnId'>,
  { screen, hasOwnServer = false }: { screen: Screen; hasOwnServer?: boolean },
): (approvalIds: readonly string[]) => Promise<number | undefined> {
  return async (approvalIds) => {
    // A turn that is read from its start has also parked for what was answered since.
    const asked = await Promise.all(approvalIds.map((id) => client.approvals.get(id)));
    if (asked.some(({ status }) => status !== 'pending')) return undefined;
    const turnpike = commandName();
    const first = hasOwnServer ? `Start a server (${turnpike} serve). Then answer` : 'Answer';
    const lines = [
      `The turn waits for ${asked.length === 1 ? 'an answer' : `${asked.length} answers`}, and nobody is asked here. ${first}:`,
      ...asked.map(
        ({ approvalId }) =>
          `  ${turnpike} approve ${approvalId}   or: ${turnpike} deny ${approvalId}`,
      ),
      `and print what follows: ${turnpike} tail ${turnId}`,
    ];
    screen.err(`${screen.paint('yellow', lines.join('\n'))}\n`);
    return EXIT_WAITING;
  };
}

/**
 * Answers a question of a turn in place of a person, by `--approve` or `--deny`. Questions that no yes answers (of a
 * form, a client's tool, a log-in, or a call whose outcome is unknown) stay open under `--approve`.
 */
export async function answerUnasked(
  { client, screen }: { client: Pick<TurnpikeClient, 'approvals'>; screen: Screen },
  { approvalId, kind }: Pick<Question, 'approvalId' | 'kind'>,
  decision: 'approve' | 'deny',
): Promise<void> {
  try {
    if (decision === 'deny') await client.approvals.deny(approvalId);
    else if (kind === 'tool') await client.approvals.approve(approvalId);
  } catch (error) {
    if (!(error instanceof TurnpikeError)) throw error;
    // Others decide about this call, or have decided: it stays as it is.
    screen.err(`${screen.paint('yellow', `! ${plainText(error.message)}`)}\n`);
  }
}

import type { TurnpikeClient } from '../../client/turnpike-client.js';
import { compact } from '../../platform/compact.js';
import { clientOf, type FoundServer } from '../server/find-server.js';
import { askServer, runOnServer } from '../server/run-on-server.js';
import { parseCall, serverOptions, UsageError } from '../arguments.js';
import { askedLine, oneLine } from '../terminal/screen.js';

/**
 * `turnpike approvals`, `turnpike approve ID`, `turnpike deny ID [WHY]`: lists and answers the questions
 * that turns are parked on. Never starts a server: a new one would have no turn.
 *
 * @returns the exit code: 0; 1 when the answer was refused or no server runs; 2 for a wrong call.
 */
export function answerCommand(
  command: 'approvals' | 'approve' | 'deny',
  args: readonly string[],
  environment: Record<string, string | undefined>,
): Promise<number> {
  if (command === 'approvals') {
    const options = { json: { type: 'boolean', default: false }, ...serverOptions } as const;
    const parse = () => {
      const { json, url } = parseCall(args, { options }).values;
      return { json, url };
    };
    return askServer(environment, parse, list, 'No turn waits for an approval.');
  }
  return runOnServer(environment, () => {
    const { url, act } = parseAnswerCall(command, args);
    const run = async (server: FoundServer): Promise<number> => {
      await act(clientOf(server));
      return 0;
    };
    return { url, run };
  });
}

async function list({ approvals }: TurnpikeClient, { json }: { json: boolean }): Promise<string[]> {
  const { approvals: open } = await approvals.list({ limit: 200 });
  if (json) return [JSON.stringify(open)];
  return open.map(({ approvalId, kind, name, input, reason, expiresAt }) => {
    const call = askedLine(`${name} ${JSON.stringify(input)}`);
    return `${approvalId}  ${kind}  until ${expiresAt}\n  ${call}\n  ${oneLine(reason, 200)}`;
  });
}

/** The call to make, and the server that `--url` names. */
interface ParsedCall {
  url: string | undefined;
  act(client: TurnpikeClient): Promise<unknown>;
}

function parseAnswerCall(command: 'approve' | 'deny', args: readonly string[]): ParsedCall {
  const { values, positionals } = parseCall(args, {
    allowPositionals: true,
    options: { session: { type: 'boolean' }, rule: { type: 'string' }, ...serverOptions },
  });
  const { rule, url } = values;
  const [id, ...words] = positionals;
  if (id === undefined) throw new UsageError(`turnpike ${command} needs the id of an approval`);
  const forSession = values.session === true || rule !== undefined;
  if (command === 'deny' && forSession)
    throw new UsageError('--session and --rule go with approve');
  if (command === 'approve' && words.length > 0) {
    throw new UsageError('turnpike approve takes one id; a message goes with deny');
  }
  if (command === 'deny') {
    const why = words.length === 0 ? undefined : words.join(' ');
    return { url, act: ({ approvals }) => approvals.deny(id, why) };
  }
  if (!forSession) return { url, act: ({ approvals }) => approvals.approve(id) };
  return { url, act: ({ approvals }) => approvals.approveForSession(id, compact({ rule })) };
}

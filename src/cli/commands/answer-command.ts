import type { TurnpikeClient } from '../../client/turnpike-client.js';
import { compact } from '../../platform/compact.js';
import { exitCodeOf, explainFailure } from '../render/explain-failure.js';
import { clientOf, findServer } from '../server/find-server.js';
import { parseCall, serverOptions, UsageError } from '../arguments.js';
import { askedLine, oneLine } from '../terminal/screen.js';

type Environment = Record<string, string | undefined>;

/** The call to make, and the server that `--url` names. */
interface ParsedCall {
  url: string | undefined;
  act(client: TurnpikeClient): Promise<unknown>;
}

/**
 * `turnpike approvals`, `turnpike approve ID`, `turnpike deny ID [WHY]`: lists and answers the questions
 * that turns are parked on. Never starts a server: a new one would have no turn.
 *
 * @returns the exit code: 0; 1 when the answer was refused or no server runs; 2 for a wrong call.
 */
export async function answerCommand(
  command: 'approvals' | 'approve' | 'deny',
  args: readonly string[],
  environment: Environment,
): Promise<number> {
  try {
    const { url, act } =
      command === 'approvals' ? parseListCall(args) : parseAnswerCall(command, args);
    await act(clientOf(await findServer(environment, { url, orElse: 'refuse' })));
    return 0;
  } catch (error) {
    process.stderr.write(`${explainFailure(error)}\n`);
    return exitCodeOf(error);
  }
}

function parseListCall(args: readonly string[]): ParsedCall {
  const options = { json: { type: 'boolean', default: false }, ...serverOptions } as const;
  const { values } = parseCall(args, { options });
  return { url: values.url, act: (client) => list(client, values.json) };
}

async function list(client: TurnpikeClient, isJson: boolean): Promise<void> {
  const { approvals: open } = await client.approvals.list({ limit: 200 });
  if (isJson) return void process.stdout.write(`${JSON.stringify(open)}\n`);
  if (open.length === 0) process.stderr.write('No turn waits for an approval.\n');
  for (const { approvalId, kind, name, input, reason, expiresAt } of open) {
    const call = askedLine(`${name} ${JSON.stringify(input)}`);
    process.stdout.write(
      `${approvalId}  ${kind}  until ${expiresAt}\n  ${call}\n  ${oneLine(reason, 200)}\n`,
    );
  }
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

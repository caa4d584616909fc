import { parseArgs } from 'node:util';
import type { TurnpikeClient } from '../client/turnpike-client.js';
import { exitCodeOf, explainFailure } from './explain-failure.js';
import { clientOf, findServer } from './find-server.js';
import { UsageError } from './parse-turn-arguments.js';
import { askedLine, oneLine } from './plain-text.js';

type Environment = Record<string, string | undefined>;

/**
 * `turnpike approvals`, `turnpike approve ID`, `turnpike deny ID [WHY]`: what turns wait for, and
 * the answers. Of the server that runs: one that was started for this would know of no turn.
 *
 * @returns 0; 1 when it was refused or no server runs; 2 for a wrong call.
 */
export async function answerCommand(
  command: 'approvals' | 'approve' | 'deny',
  args: readonly string[],
  environment: Environment,
): Promise<number> {
  try {
    const client = clientOf(await findServer(environment, 'running'));
    if (command === 'approvals') await list(client, args);
    else await answer(client, command, args);
    return 0;
  } catch (error) {
    process.stderr.write(`${explainFailure(error)}\n`);
    return exitCodeOf(error);
  }
}

async function list(client: TurnpikeClient, args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { json: { type: 'boolean' } } });
  const { approvals: open } = await client.approvals.list({ limit: 200 });
  if (values.json === true) return void process.stdout.write(`${JSON.stringify(open)}\n`);
  if (open.length === 0) process.stderr.write('No turn waits for an approval.\n');
  for (const { approvalId, kind, name, input, reason, expiresAt } of open) {
    const call = askedLine(`${name} ${JSON.stringify(input)}`);
    process.stdout.write(
      `${approvalId}  ${kind}  until ${expiresAt}\n  ${call}\n  ${oneLine(reason, 200)}\n`,
    );
  }
}

async function answer(
  client: TurnpikeClient,
  command: 'approve' | 'deny',
  args: readonly string[],
): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { session: { type: 'boolean' }, rule: { type: 'string' } },
  });
  const [id, ...words] = positionals;
  if (id === undefined) throw new UsageError(`turnpike ${command} needs the id of an approval`);
  const forSession = values.session === true || values.rule !== undefined;
  if (command === 'deny' && forSession)
    throw new UsageError('--session and --rule go with approve');
  if (command === 'approve' && words.length > 0) {
    throw new UsageError('turnpike approve takes one id; a message goes with deny');
  }
  if (command === 'deny') {
    await client.approvals.deny(id, words.length === 0 ? undefined : words.join(' '));
  } else if (forSession) {
    const { rule } = values;
    await client.approvals.approveForSession(id, rule === undefined ? {} : { rule });
  } else {
    await client.approvals.approve(id);
  }
}

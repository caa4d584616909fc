import { parseArgs } from 'node:util';
import { ConfigError } from '../config.js';
import { errorCode } from '../platform/error-code.js';
import { findServer } from './find-server.js';
import { oneLine } from './plain-text.js';
import { getJson, postJson, RefusedError, type ServerAddress } from './read-turn.js';

type Environment = Record<string, string | undefined>;

interface ShownApproval {
  approvalId: string;
  name: string;
  input: unknown;
  reason: string;
  expiresAt: string;
}

class WrongCall extends Error {}

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
    const server = await findServer(environment, 'running');
    if (command === 'approvals') await list(server, args);
    else await answer(server, command, args);
    return 0;
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`);
    const isWrongCall =
      error instanceof WrongCall || errorCode(error)?.startsWith('ERR_PARSE_ARGS');
    return isWrongCall === true ? 2 : 1;
  }
}

async function list(server: ServerAddress, args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { json: { type: 'boolean' } } });
  const { approvals } = await getJson(server, '/api/harness/approvals?limit=200');
  const open = approvals as ShownApproval[];
  if (values.json === true) return void process.stdout.write(`${JSON.stringify(open)}\n`);
  if (open.length === 0) process.stderr.write('No turn waits for an approval.\n');
  for (const { approvalId, name, input, reason, expiresAt } of open) {
    const call = oneLine(`${name} ${JSON.stringify(input)}`, 200);
    process.stdout.write(
      `${approvalId}  until ${expiresAt}\n  ${call}\n  ${oneLine(reason, 200)}\n`,
    );
  }
}

async function answer(
  server: ServerAddress,
  command: 'approve' | 'deny',
  args: readonly string[],
): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { session: { type: 'boolean' }, rule: { type: 'string' } },
  });
  const [id, ...words] = positionals;
  if (id === undefined) throw new WrongCall(`turnpike ${command} needs the id of an approval`);
  const forSession = values.session === true || values.rule !== undefined;
  if (command === 'deny' && forSession) throw new WrongCall('--session and --rule go with approve');
  if (command === 'approve' && words.length > 0) {
    throw new WrongCall('turnpike approve takes one id; a message goes with deny');
  }
  await postJson(server, `/api/harness/approvals/${encodeURIComponent(id)}`, {
    decision: command === 'approve' && forSession ? 'approve-session' : command,
    ...(words.length === 0 ? {} : { message: words.join(' ') }),
    ...(values.rule === undefined ? {} : { rule: values.rule }),
  });
}

function explain(error: unknown): string {
  if (error instanceof RefusedError) return `${error.type}: ${error.message}`;
  if (error instanceof ConfigError || error instanceof WrongCall) return error.message;
  if (error instanceof TypeError && error.cause instanceof Error) {
    return `The server cannot be reached: ${error.cause.message}. Start one (npm start), or correct TURNPIKE_URL.`;
  }
  return error instanceof Error ? error.message : String(error);
}

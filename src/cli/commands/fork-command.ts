import type { ForkedSession } from '../../client/turnpike-client.js';
import { oneLine } from '../terminal/screen.js';
import { clientOf, type FoundServer } from '../server/find-server.js';
import { runOnServer } from '../server/run-on-server.js';
import { parseCall, serverOptions, UsageError } from '../arguments.js';

const options = {
  before: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  ...serverOptions,
} as const;

/**
 * `turnpike fork TURN`: begins a session with the history up to a turn, with the turn or before it. Prints the
 * session's id alone, and what later turns wrote beside it. Never starts a server: a new one has no turns.
 *
 * @returns the exit code: 0; 1 when the server refused or none runs; 2 for a wrong call.
 */
export function forkCommand(
  args: readonly string[],
  environment: Record<string, string | undefined>,
): Promise<number> {
  return runOnServer(environment, () => {
    const { turnId, before, json, url } = parse(args);
    const run = async (server: FoundServer): Promise<number> => {
      const client = clientOf(server);
      const { sessionId } = await client.turns.get(turnId);
      const position = before ? 'before' : 'after';
      const fork = await client.sessions.fork(sessionId, { turnId, position });
      process.stdout.write(`${json ? JSON.stringify(fork) : fork.session.sessionId}\n`);
      if (!json) process.stderr.write(describeFiles(fork));
      return 0;
    };
    return { url, run };
  });
}

/** The files that are not as they were at the point of the fork, a line each. */
function describeFiles({ filesWritten }: ForkedSession): string {
  if (filesWritten === undefined) return '';
  const { paths, more, ranCommands, mcpTools = [] } = filesWritten;
  const lines = [
    'Files stay as they are. Later turns wrote:',
    ...paths.map((path) => `  ${oneLine(path, 200)}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(ranCommands ? ['  and whatever their commands wrote'] : []),
    ...(mcpTools.length > 0 ? [`  and whatever these tools wrote: ${mcpTools.join(', ')}`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** @throws UsageError. */
function parse(args: readonly string[]) {
  const { values, positionals } = parseCall(args, { options, allowPositionals: true });
  const [turnId, ...more] = positionals;
  if (turnId !== undefined && more.length === 0) return { ...values, turnId };
  throw new UsageError('turnpike fork TURN [--before]');
}

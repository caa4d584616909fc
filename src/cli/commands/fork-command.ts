import type { ForkedSession } from '../../client/turnpike-client.js';
import { oneLine } from '../terminal/screen.js';
import { clientOf } from '../server/find-server.js';
import { runOnServer } from '../server/run-on-server.js';
import { jsonOption, urlOption, type Cli, type CliCommand } from '../command.js';

/**
 * `turnpike fork TURN`: begins a session with the history up to a turn, with the turn or before it. Prints the
 * session's id alone, and what later turns wrote beside it. Never starts a server: a new one has no turns.
 */
export function forkCommand(command: CliCommand, cli: Cli): void {
  command
    .argument('<TURN>', 'the last turn of the history')
    .option('--before', 'leave the turn itself out')
    .addOption(jsonOption)
    .addOption(urlOption)
    .action((turnId, { before, json, url }) =>
      runOnServer(cli, { url }, async (server) => {
        const client = clientOf(server);
        const { sessionId } = await client.turns.get(turnId);
        const position = before === true ? 'before' : 'after';
        const fork = await client.sessions.fork(sessionId, { turnId, position });
        cli.out(`${json ? JSON.stringify(fork) : fork.session.sessionId}\n`);
        if (!json) cli.err(describeFiles(fork));
        return 0;
      }),
    );
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

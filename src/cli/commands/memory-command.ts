import { confirm } from '../terminal/terminal-input.js';
import { minute, oneLine, plainText } from '../terminal/screen.js';
import { clientOf } from '../server/find-server.js';
import { listOnServer, listPages, runOnServer } from '../server/run-on-server.js';
import { subcommand, type Cli, type CliCommand } from '../command.js';

/**
 * `turnpike memory`: lists, shows and deletes what agents keep for the caller. Never starts a server: a new one
 * would keep nothing.
 */
export function memoryCommand(command: CliCommand, cli: Cli): void {
  subcommand(
    command,
    'list [AGENT]',
    'list the agents that keep files for you, or the files of AGENT',
  ).action((agent, options) =>
    agent === undefined
      ? listOnServer(cli, options, {
          ask: ({ memory }) => memory.list(),
          show: (all) => ({
            columns: ['AGENT', 'FILES', 'BYTES', 'CHANGED (UTC)'],
            rows: all.map(({ agent: name, files, bytes, updatedAt }) => [
              oneLine(name, 200),
              String(files),
              String(bytes),
              minute(updatedAt),
            ]),
          }),
        })
      : listOnServer(cli, options, {
          ask: ({ memory }) => listPages(Infinity, 'files', (page) => memory.files(agent, page)),
          show: (all) => ({
            columns: ['PATH', 'BYTES', 'CHANGED (UTC)', 'BY'],
            rows: all.map(({ path, bytes, updatedAt, turnId }) => [
              oneLine(path, 600),
              String(bytes),
              minute(updatedAt),
              turnId ?? 'by its owner',
            ]),
          }),
        }),
  );
  subcommand(command, 'show <AGENT> <PATH>', 'print a file').action((agent, path, options) =>
    listOnServer(cli, options, {
      ask: async ({ memory }) => [await memory.get(agent, path)],
      show: (files) => files.map(({ content }) => plainText(content)),
    }),
  );
  subcommand(
    command,
    'delete <AGENT> [PATH]',
    'delete a file, or all files of AGENT; exits with 1 if you answer no',
  )
    .option('--yes', 'do not ask')
    .action((agent, path, { yes, json, url }) =>
      runOnServer(cli, { url }, async (server) => {
        const what = path ?? `all that ${agent} keeps`;
        const isSure =
          yes === true || (await confirm(`Delete ${what}? It cannot be undone. [y/N] `));
        if (!isSure) return 1;
        const deletedFiles = await clientOf(server).memory.delete(agent, path);
        cli.out(`${json ? JSON.stringify({ deletedFiles }) : `${deletedFiles} deleted.`}\n`);
        return 0;
      }),
    );
}

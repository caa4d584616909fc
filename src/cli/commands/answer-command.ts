import type { TurnpikeClient } from '../../client/turnpike-client.js';
import { compact } from '../../platform/compact.js';
import { clientOf } from '../server/find-server.js';
import { runOnServer } from '../server/run-on-server.js';
import { jsonOption, urlOption, type Cli, type CliCommand } from '../command.js';
import { askedLine, oneLine } from '../terminal/screen.js';

/** `turnpike approvals`: lists the questions that turns are parked on. Never starts a server: a new one has no turn. */
export function approvalsCommand(command: CliCommand, cli: Cli): void {
  command
    .addOption(jsonOption)
    .addOption(urlOption)
    .action(({ json, url }) =>
      runOnServer(cli, { url }, async (server) => {
        const { approvals: open } = await clientOf(server).approvals.list({ limit: 200 });
        if (json) cli.out(`${JSON.stringify(open)}\n`);
        else if (open.length === 0) cli.err('No turn waits for an approval.\n');
        else for (const one of open) cli.out(describe(one));
        return 0;
      }),
    );
}

type Open = Awaited<ReturnType<TurnpikeClient['approvals']['list']>>['approvals'][number];

/** Three lines: a call may be long, and is shown whole before it is approved. */
function describe({ approvalId, kind, name, input, reason, expiresAt }: Open): string {
  const call = askedLine(`${name} ${JSON.stringify(input)}`);
  return `${approvalId}  ${kind}  until ${expiresAt}\n  ${call}\n  ${oneLine(reason, 200)}\n`;
}

/** `turnpike approve ID`. Exit code: 1 when the answer was refused or no server runs. */
export function approveCommand(command: CliCommand, cli: Cli): void {
  command
    .argument('<ID>', 'of the approval')
    .option('--session', 'also approve later calls in this session whose input is the same')
    .option(
      '--rule <RULE>',
      'also approve later calls in this session that RULE allows, such as bash(ls *)',
    )
    .addOption(urlOption)
    .action((id, { session, rule, url }) =>
      runOnServer(cli, { url }, async (server) => {
        const { approvals } = clientOf(server);
        const forSession = session === true || rule !== undefined;
        if (forSession) await approvals.approveForSession(id, compact({ rule }));
        else await approvals.approve(id);
        return 0;
      }),
    );
}

/** `turnpike deny ID [WHY]`. Exit code: as of `approve`. */
export function denyCommand(command: CliCommand, cli: Cli): void {
  command
    .argument('<ID>', 'of the approval')
    .argument('[WHY...]', 'the reason')
    .addOption(urlOption)
    .action((id, words, { url }) =>
      runOnServer(cli, { url }, async (server) => {
        await clientOf(server).approvals.deny(id, words.length === 0 ? undefined : words.join(' '));
        return 0;
      }),
    );
}

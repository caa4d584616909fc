import { compact } from '../../platform/compact.js';
import { clientOf } from '../server/find-server.js';
import { runOnServer } from '../server/run-on-server.js';
import { jsonOption, urlOption, type Cli, type CliCommand } from '../command.js';
import { printTurn } from '../render/print-turn.js';
import { openScreen, reportRetries } from '../terminal/screen.js';
import { isAttended, leaveUnanswered } from '../terminal/unattended.js';

/**
 * `turnpike tail TURN`: prints a turn that runs or ran, from its start or after an event. Ctrl-C ends the
 * command, not the turn. Exit code: the turn's; 1 when the turn cannot be followed; without a terminal, 3 where it waits
 * for an answer.
 */
export function tailCommand(command: CliCommand, cli: Cli): void {
  command
    .argument('<TURN>', 'the id that ends the output of a turn')
    .option('--after <ID>', 'print only the events after this one')
    .addOption(jsonOption)
    .addOption(urlOption)
    .action((turnId, { after, json, url }) =>
      runOnServer(cli, { url }, async (server) => {
        const screen = openScreen(cli.environment, json === true);
        const client = clientOf(server, reportRetries(screen));
        // Asked first, because following retries: a missing server or turn is reported at once.
        await client.turns.get(turnId);
        const turn = client.follow(turnId, { after });
        const leave = isAttended(screen) ? undefined : leaveUnanswered(client, turn, { screen });
        return printTurn(turn, screen, compact({ leave }));
      }),
    );
}

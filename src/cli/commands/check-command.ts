import { parseConfig } from '../../config/config.js';
import { createLogger } from '../../platform/logger.js';
import { showPlace } from '../../tools/extensions/explain-load-failure.js';
import type { SourceFault } from '../../tools/extensions/source-faults.js';
import { jsonOption, type Cli, type CliCommand } from '../command.js';
import { checkSources } from '../server/check-sources.js';

/** `turnpike check`: exit code 1 where a server would not start with the tools and agents as they are. */
export function checkCommand(command: CliCommand, cli: Cli): void {
  command.addOption(jsonOption).action(async ({ json }) => {
    const config = parseConfig(cli.environment, { needsRedis: false });
    const redact = (line: string): string => line;
    const logger = createLogger({ level: 'error', readable: true, redact });
    const { faults, tools } = await checkSources(config, {
      logger,
      environment: cli.environment,
    });
    if (faults.length > 0) cli.exitCode = 1;
    if (json === true) return cli.out(`${JSON.stringify({ faults, tools })}\n`);
    for (const fault of faults) cli.err(`${showFault(fault)}\n`);
    if (faults.length > 0) return;
    cli.out(`No faults. Tools of your own: ${tools.join(', ') || 'none'}.\n`);
    cli.err(`Agents: ${config.instructionRoot}\n`);
    cli.err(
      `MCP servers: ${config.mcpFile === undefined ? 'none; TURNPIKE_MCP_FILE lists them' : `${config.mcpFile} (none was started)`}\n`,
    );
    cli.err(
      `Tools: ${config.toolsDir ?? 'none looked at; set TURNPIKE_TOOLS_DIR to their folder'}\n`,
    );
  });
}

/** A fault in a line, as compilers write theirs: editors open its place. */
export function showFault({ message, ...place }: SourceFault): string {
  return `${showPlace(place)}: ${message}`;
}

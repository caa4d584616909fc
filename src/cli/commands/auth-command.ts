import path from 'node:path';
import { text } from 'node:stream/consumers';
import { explainToken, type TokenExplanation } from '../../access/explain-token.js';
import { hideKeys } from '../../access/keys/key-secret.js';
import { parseConfig } from '../../config/config.js';
import { createLogger } from '../../platform/logger.js';
import { jsonOption, UsageError, type Cli, type CliCommand } from '../command.js';
import { oneLine } from '../terminal/screen.js';

const MAX_VALUE_CHARS = 200;

/** `turnpike auth`: explains tokens of identity providers. */
export function authCommand(command: CliCommand, cli: Cli): void {
  command
    .command('check')
    .description('explain a token: its issuer, claims and roles, and what is wrong with it')
    .argument('[TOKEN]', 'the token; default or -: standard input, so that no history has it')
    .option('--file <FILE>', 'the file of issuers; default: TURNPIKE_AUTH_FILE')
    .addOption(jsonOption)
    .action(async (given = '-', { file, json }) => {
      const named = file === undefined ? {} : { TURNPIKE_AUTH_FILE: path.resolve(file) };
      const environment = { ...cli.environment, ...named };
      const config = parseConfig(environment, { needsRedis: false });
      if (config.authFile === undefined) {
        throw new UsageError(
          'There is no file of issuers. Name it: --file FILE, or TURNPIKE_AUTH_FILE.',
        );
      }
      const token = (given === '-' ? await text(process.stdin) : given).trim();
      const logger = createLogger({ level: 'silent', readable: true, redact: hideKeys });
      const explained = await explainToken(token, config, logger);
      cli.out(json === true ? `${JSON.stringify(explained)}\n` : describe(explained));
      cli.exitCode = explained.problem === undefined ? 0 : 1;
    });
}

function describe(explained: TokenExplanation): string {
  const { problem, issuer, claims = {}, groups, roles, grant } = explained;
  const list = (items: readonly string[]): string =>
    items.length === 0 ? 'none' : items.join(', ');
  const lines = [
    problem === undefined ? 'The token is taken.' : `The token is not taken. ${problem}`,
    `Issuer: ${issuer ?? 'not in the file'}`,
    ...(groups === undefined ? [] : [`Groups: ${list(groups)}`]),
    ...(roles === undefined ? [] : [`Roles of: ${list(roles)}`]),
    ...(grant === undefined
      ? []
      : [
          `Principal: ${grant.principalId}`,
          `Scopes: ${list(grant.scopes)}`,
          `Agents: ${grant.agents === undefined ? 'all' : list(grant.agents)}`,
          `Folders: ${list(grant.projectRoots)}`,
        ]),
    problem === undefined ? 'Claims:' : 'Claims, not verified:',
    ...Object.entries(claims).map(
      ([name, value]) =>
        `  ${oneLine(name, 60)}: ${oneLine(describeValue(name, value), MAX_VALUE_CHARS)}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function describeValue(name: string, value: unknown): string {
  const isTime = ['exp', 'iat', 'nbf', 'auth_time'].includes(name) && typeof value === 'number';
  if (!isTime) return JSON.stringify(value);
  const date = new Date(value * 1_000);
  return Number.isNaN(date.getTime()) ? String(value) : `${value} (${date.toISOString()})`;
}

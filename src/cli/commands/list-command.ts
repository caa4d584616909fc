import type {
  ListedSession,
  AgentSummary,
  ListedModel,
  SkillView,
} from '../../client/turnpike-client.js';
import { Option } from '@commander-js/extra-typings';
import { listOnServer, listPages } from '../server/run-on-server.js';
import { jsonOption, urlOption, wholeNumber, type Cli, type CliCommand } from '../command.js';
import type { Table } from '../render/table.js';
import { minute, oneLine } from '../terminal/screen.js';

/** `turnpike sessions`. */
export function sessionsCommand(command: CliCommand, cli: Cli): void {
  command
    .option('--limit <N>', 'at most N', wholeNumber('limit', 1), 20)
    .addOption(jsonOption)
    .addOption(urlOption)
    .action(({ limit, ...options }) =>
      listOnServer(cli, options, {
        ask: ({ sessions }) => listPages(limit, 'sessions', (page) => sessions.list(page)),
        show: tableOfSessions,
        none: 'There are no sessions.',
      }),
    );
}

/** `turnpike agents`. */
export function agentsCommand(command: CliCommand, cli: Cli): void {
  command
    .addOption(jsonOption)
    .addOption(urlOption)
    .action((options) =>
      listOnServer(cli, options, {
        ask: (client) => client.agents(),
        show: tableOfAgents,
        none: 'There are no agents.',
      }),
    );
}

/** `turnpike models`. */
export function modelsCommand(command: CliCommand, cli: Cli): void {
  command
    .addOption(jsonOption)
    .addOption(urlOption)
    .action((options) => {
      let byDefault = '';
      return listOnServer(cli, options, {
        ask: async (client) => {
          const { models, defaultModel } = await client.models();
          byDefault = defaultModel;
          return models;
        },
        show: (models) => tableOfModels(models, byDefault),
        none: 'There are no models.',
      });
    });
}

/** `turnpike skills`: those of the server, of an agent, or of a session. */
export function skillsCommand(command: CliCommand, cli: Cli): void {
  command
    .option('--agent <NAME>', 'the skills of an agent')
    .addOption(new Option('--session <ID>', 'the skills of a session').conflicts('agent'))
    .addOption(jsonOption)
    .addOption(urlOption)
    .action(({ agent, session, ...options }) =>
      listOnServer(cli, options, {
        ask: (client) =>
          session === undefined ? client.skills({ agent }) : client.sessions.skills(session),
        show: (skills) => skills.flatMap(describeListedSkill),
        none: 'There are no skills.',
      }),
    );
}

/** `turnpike sessions`. Times are UTC. */
export function tableOfSessions(sessions: readonly ListedSession[]): Table {
  return {
    // The title comes early: a narrow terminal cuts what comes late.
    columns: ['SESSION', 'TITLE', 'USED (UTC)', 'AGENT', 'RUNNING TURN', 'FOLDER'],
    rows: sessions.map(({ sessionId, updatedAt, persona, projectRoot, title, activeTurnId }) => [
      sessionId,
      title === undefined ? '' : oneLine(title, 50),
      minute(updatedAt),
      persona,
      activeTurnId ?? '',
      oneLine(projectRoot, 200),
    ]),
  };
}

/** `turnpike agents`. */
export function tableOfAgents(agents: readonly AgentSummary[]): Table {
  return {
    columns: ['AGENT', 'MODEL', 'TOOLS', 'DESCRIPTION'],
    rows: agents.map(({ name, description, model, tools }) => [
      name,
      model ?? 'default',
      tools === null ? 'default' : oneLine(tools.join(','), 60) || 'none',
      oneLine(description ?? '', 160),
    ]),
  };
}

/** The lines of a skill in `turnpike skills`: one, and one for each fault of its file. */
function describeListedSkill(skill: SkillView): string[] {
  const { name, level, file, description, allowedTools, isOffered, hiddenBy, faults } = skill;
  const about = description === null ? '' : `  ${oneLine(description, 160)}`;
  const notes = [
    ...(allowedTools === null ? [] : [`only ${allowedTools.join(', ') || 'no tools'}`]),
    ...(hiddenBy === null ? [] : [`hidden by that of the ${hiddenBy}`]),
    ...(isOffered || hiddenBy !== null || faults.length > 0 ? [] : ['not offered']),
  ];
  const noted = notes.length === 0 ? '' : `  (${oneLine(notes.join('; '), 200)})`;
  return [
    `${oneLine(name, 64)}  ${level}${about}${noted}`,
    ...faults.map(
      ({ line, message }) => `  ${oneLine(file, 200)}:${line}: ${oneLine(message, 300)}`,
    ),
  ];
}

/** `turnpike models`. */
export function tableOfModels(models: readonly ListedModel[], defaultModel: string): Table {
  return {
    columns: ['MODEL', 'WINDOW', 'REPLY', 'US$ A MILLION TOKENS, IN / OUT', 'STATE'],
    rows: models.map(({ id, contextWindow, maxOutput, price, lifecycle, retiresAt }) => [
      oneLine(id, 200),
      inThousands(contextWindow),
      inThousands(maxOutput),
      price === undefined ? 'not known' : `${price.input} / ${price.output}`,
      [
        ...(id === defaultModel ? ['default'] : []),
        ...(lifecycle === 'active' ? [] : [lifecycle]),
        ...(retiresAt === undefined ? [] : [`retires ${retiresAt}`]),
      ].join(', '),
    ]),
  };
}

function inThousands(tokens: number): string {
  return tokens >= 1_000_000 ? `${tokens / 1_000_000}M` : `${Math.round(tokens / 1_000)}K`;
}

import type {
  ListedSession,
  AgentSummary,
  SkillView,
  TurnpikeClient,
} from '../../client/turnpike-client.js';
import { TurnpikeError } from '../../client/turnpike-client.js';
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
    .action(({ limit, ...options }) => {
      let titles: AgentTitles = new Map();
      return listOnServer(cli, options, {
        ask: async (client) => {
          titles = await titlesOf(client, options);
          return listPages(limit, 'sessions', (page) => client.sessions.list(page));
        },
        show: (found) => tableOfSessions(found, titles),
        none: 'There are no sessions.',
      });
    });
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
        show: tableOfSkills,
        tell: (skills) => skills.flatMap(describeFaults),
        none: 'There are no skills.',
      }),
    );
}

/** The titles of agents, by their names. */
export type AgentTitles = ReadonlyMap<string, string>;

/** The titles of the server's agents; none for JSON, which has the names, and for a key that may not list them. */
export async function titlesOf(
  client: TurnpikeClient,
  { json = false }: { json?: boolean | undefined },
): Promise<AgentTitles> {
  const agents = json ? [] : await client.agents().catch(refused);
  return new Map(agents.map(({ name, title }) => [name, title ?? name]));
}

/** A key with the scope admin alone lists the turns of all, and no agents: it reads their names. */
function refused(error: unknown): AgentSummary[] {
  if (error instanceof TurnpikeError && error.status === 403) return [];
  throw error;
}

/** `turnpike sessions`. Times are UTC. */
export function tableOfSessions(
  sessions: readonly ListedSession[],
  titles: AgentTitles = new Map(),
): Table {
  return {
    // The title comes early: a narrow terminal cuts what comes late.
    columns: ['SESSION', 'TITLE', 'USED (UTC)', 'AGENT', 'RUNNING TURN', 'FOLDER'],
    rows: sessions.map(({ sessionId, updatedAt, persona, projectRoot, title, activeTurnId }) => [
      sessionId,
      title === undefined ? '' : oneLine(title, 50),
      minute(updatedAt),
      oneLine(titles.get(persona) ?? persona, 64),
      activeTurnId ?? '',
      oneLine(projectRoot, 200),
    ]),
  };
}

/** `turnpike agents`. */
export function tableOfAgents(agents: readonly AgentSummary[]): Table {
  return {
    columns: ['AGENT', 'TITLE', 'MODEL', 'TOOLS', 'DESCRIPTION'],
    rows: agents.map(({ name, title, description, model, tools }) => [
      name,
      oneLine(title ?? '', 40),
      model ?? 'default',
      tools === null ? 'default' : oneLine(tools.join(','), 60) || 'none',
      oneLine(description ?? '', 160),
    ]),
  };
}

/** `turnpike skills`. */
export function tableOfSkills(skills: readonly SkillView[]): Table {
  return {
    columns: ['SKILL', 'LEVEL', 'STATE', 'DESCRIPTION'],
    rows: skills.map((skill) => [
      oneLine(skill.name, 64),
      skill.level,
      oneLine(describeState(skill), 200),
      oneLine(skill.description ?? '', 160),
    ]),
  };
}

function describeState({ allowedTools, isOffered, hiddenBy, faults }: SkillView): string {
  const notes = [
    ...(faults.length > 0 ? ['faulty'] : []),
    ...(hiddenBy === null ? [] : [`hidden by that of the ${hiddenBy}`]),
    ...(isOffered || hiddenBy !== null || faults.length > 0 ? [] : ['not offered']),
    ...(allowedTools === null ? [] : [`only ${allowedTools.join(', ') || 'no tools'}`]),
  ];
  return notes.join('; ') || 'offered';
}

function describeFaults({ file, faults }: SkillView): string[] {
  return faults.map(
    ({ line, message }) => `${oneLine(file, 200)}:${line}: ${oneLine(message, 300)}`,
  );
}

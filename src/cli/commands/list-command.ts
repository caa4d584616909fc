import { assertNever } from '../../platform/assert-never.js';
import type {
  ListedSession,
  TurnpikeClient,
  AgentSummary,
  ListedModel,
  SkillView,
} from '../../client/turnpike-client.js';
import { askServer, listPages } from '../server/run-on-server.js';
import { parseCall, serverOptions, UsageError } from '../arguments.js';
import { minute, oneLine } from '../terminal/screen.js';

export type ListName = 'sessions' | 'agents' | 'models' | 'skills';

/**
 * `turnpike sessions`, `turnpike agents`, `turnpike models` and `turnpike skills`: one line each, or one line of
 * JSON with `--json`.
 *
 * @returns the exit code: 0; 1 when the server cannot be asked; 2 for a wrong call.
 */
export function listCommand(
  what: ListName,
  args: readonly string[],
  environment: Record<string, string | undefined>,
): Promise<number> {
  return askServer(
    environment,
    () => parseArguments(what, args),
    (client, options) => linesOf(what, client, options),
    `There are no ${what}.`,
  );
}

interface ListOptions {
  json: boolean;
  /** The most sessions to list. */
  limit: number;
  /** The agent, or the session, whose skills are listed. */
  agent: string | undefined;
  session: string | undefined;
}

interface ListArguments extends ListOptions {
  url: string | undefined;
}

function linesOf(
  what: ListName,
  client: TurnpikeClient,
  { json, limit, ...of }: ListOptions,
): Promise<string[]> {
  switch (what) {
    case 'sessions':
      return sessionLines(client, limit, json);
    case 'agents':
      return agentLines(client, json);
    case 'models':
      return modelLines(client, json);
    case 'skills':
      return skillLines(client, of, json);
    default:
      return assertNever(what);
  }
}

async function sessionLines(
  client: TurnpikeClient,
  limit: number,
  json: boolean,
): Promise<string[]> {
  const sessions = await listPages(limit, async (page) => {
    const { sessions: listed, ...more } = await client.sessions.list(page);
    return { listed, ...more };
  });
  return show(sessions, json, tableOfSessions);
}

async function agentLines(client: TurnpikeClient, json: boolean): Promise<string[]> {
  return show(await client.agents(), json, tableOfAgents);
}

async function modelLines(client: TurnpikeClient, json: boolean): Promise<string[]> {
  const { models, defaultModel } = await client.models();
  return show(models, json, (listed) => tableOfModels(listed, defaultModel));
}

function show<One>(
  listed: readonly One[],
  json: boolean,
  tableOf: (all: readonly One[]) => Table,
): string[] {
  if (json) return listed.map((one) => JSON.stringify(one));
  if (listed.length === 0) return [];
  const { isTTY, columns } = process.stdout;
  // A terminal that does not know its width says 0.
  return linesOfTable(tableOf(listed), isTTY ? columns || 80 : undefined);
}

async function skillLines(
  client: TurnpikeClient,
  { agent, session }: Pick<ListOptions, 'agent' | 'session'>,
  json: boolean,
): Promise<string[]> {
  const skills =
    session === undefined ? await client.skills({ agent }) : await client.sessions.skills(session);
  return skills.flatMap((one) => (json ? [JSON.stringify(one)] : describeListedSkill(one)));
}

function parseArguments(what: ListName, args: readonly string[]): ListArguments {
  const { values } = parseCall(args, {
    options: {
      json: { type: 'boolean', default: false },
      limit: { type: 'string' },
      agent: { type: 'string' },
      session: { type: 'string' },
      ...serverOptions,
    },
  });
  if (what !== 'sessions' && values.limit !== undefined)
    throw new UsageError('--limit goes with sessions');
  const { agent, session } = values;
  if (what !== 'skills' && (agent ?? session) !== undefined)
    throw new UsageError('--agent and --session go with skills');
  if (agent !== undefined && session !== undefined)
    throw new UsageError('name an agent or a session, not both');
  const limit = Number(values.limit ?? 20);
  if (!Number.isInteger(limit) || limit < 1)
    throw new UsageError('--limit takes a whole number from 1');
  return { json: values.json, limit, agent, session, url: values.url };
}

/** A list for people: its columns, and a row of texts for each entry. */
export interface Table {
  columns: readonly string[];
  rows: readonly (readonly string[])[];
}

/**
 * The lines of a table, its columns aligned. At a terminal with a head, and cut to its width.
 *
 * @param width characters of a line; undefined: a program reads the lines.
 */
export function linesOfTable({ columns, rows }: Table, width: number | undefined): string[] {
  const all = width === undefined ? rows : [columns, ...rows];
  const widths = columns.map((_, index) => Math.max(...all.map((row) => row[index]?.length ?? 0)));
  return all.map((row) => {
    const line = row.map((text, index) => text.padEnd(widths[index] ?? 0)).join('  ');
    return (width === undefined ? line : line.slice(0, width)).trimEnd();
  });
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
export function describeListedSkill(skill: SkillView): string[] {
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

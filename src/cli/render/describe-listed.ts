import type {
  AgentSummary,
  ListedModel,
  ListedSession,
  SkillView,
} from '../../client/turnpike-client.js';
import { oneLine } from '../terminal/plain-text.js';

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
      updatedAt.slice(0, 16).replace('T', ' '),
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

import type {
  AgentSummary,
  ListedModel,
  ListedSession,
  SkillView,
} from '../../client/turnpike-client.js';
import { oneLine } from '../terminal/plain-text.js';

/** A line of `turnpike sessions`. Times are UTC. */
export function describeListedSession(session: ListedSession): string {
  const { sessionId, updatedAt, persona, projectRoot, title, activeTurnId } = session;
  const used = updatedAt.slice(0, 16).replace('T', ' ');
  const quoted = title === undefined ? '' : `  ${JSON.stringify(oneLine(title, 80))}`;
  const active = activeTurnId === undefined ? '' : `  ● ${activeTurnId}`;
  return `${sessionId}  ${used}  ${persona}  ${oneLine(projectRoot, 200)}${quoted}${active}`;
}

/** A line of `turnpike agents`. */
export function describeListedAgent({ name, description, model, tools }: AgentSummary): string {
  const facts = [model, tools === null ? null : tools.join(',') || 'no tools'];
  const known = facts.filter((fact) => fact !== null).join('; ');
  const about = description === null ? '' : `  ${oneLine(description, 160)}`;
  return `${name}${about}${known === '' ? '' : `  (${oneLine(known, 200)})`}`;
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

/** A line of `turnpike models`. Prices are US dollars for a million tokens. */
export function describeListedModel(model: ListedModel, defaultModel: string): string {
  const { id, contextWindow, maxOutput, price, lifecycle, retiresAt } = model;
  const cost = price === undefined ? 'price not known' : `$${price.input} in, $${price.output} out`;
  const state = [
    ...(id === defaultModel ? ['default'] : []),
    ...(lifecycle === 'active' ? [] : [lifecycle]),
    ...(retiresAt === undefined ? [] : [`retires ${retiresAt}`]),
  ];
  const marks = state.length === 0 ? '' : `  (${state.join(', ')})`;
  const name = oneLine(id, 200);
  return `${name}  ${inThousands(contextWindow)} window, ${inThousands(maxOutput)} reply  ${cost}${marks}`;
}

function inThousands(tokens: number): string {
  return tokens >= 1_000_000 ? `${tokens / 1_000_000}M` : `${Math.round(tokens / 1_000)}K`;
}

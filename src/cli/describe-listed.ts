import type { AgentSummary, ListedSession } from '../client/turnpike-client.js';
import { oneLine } from './plain-text.js';

/** One line of `turnpike sessions`. Times are UTC. */
export function describeSession(session: ListedSession): string {
  const { sessionId, updatedAt, persona, projectRoot, title, activeTurnId } = session;
  const used = updatedAt.slice(0, 16).replace('T', ' ');
  const said = title === undefined ? '' : `  ${JSON.stringify(oneLine(title, 80))}`;
  const active = activeTurnId === undefined ? '' : `  ● ${activeTurnId}`;
  return `${sessionId}  ${used}  ${persona}  ${oneLine(projectRoot, 200)}${said}${active}`;
}

/** One line of `turnpike agents`. */
export function describeAgent({ name, description, model, tools }: AgentSummary): string {
  const facts = [model, tools === null ? null : tools.join(',') || 'no tools'];
  const known = facts.filter((fact) => fact !== null).join('; ');
  const about = description === null ? '' : `  ${oneLine(description, 160)}`;
  return `${name}${about}${known === '' ? '' : `  (${oneLine(known, 200)})`}`;
}

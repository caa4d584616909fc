import type { Json } from './agent-sdk.js';
import type { Recording } from './normalise.js';
import { blocksOf, isJson } from './scripted-messages.js';

/** Names for what differs by nature. */
export interface Ids {
  /** A copy of a JSON value, with names in place of ids and of the project's folder. */
  tidy(value: unknown): unknown;
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/**
 * Names ids by the order in which the messages have them: `call-1`, `session-1`. Any other UUID is `<uuid>`, and the
 * project's folder `<project>`.
 */
export function nameIds({ entries, project }: Pick<Recording, 'entries' | 'project'>): Ids {
  const calls = new Map<string, string>();
  const sessions = new Map<string, string>();
  for (const entry of entries) {
    if (entry.at !== 'message') continue;
    const { message } = entry;
    if (message.session_id !== undefined) name(sessions, 'session', message.session_id);
    for (const id of callsOf(message)) name(calls, 'call', id);
  }
  const tidyText = (text: string): string => {
    const call = calls.get(text);
    if (call !== undefined) return call;
    return text
      .replaceAll(project, '<project>')
      .replaceAll(uuid, (id) => sessions.get(id) ?? '<uuid>');
  };
  const tidy = (value: unknown): unknown => {
    if (typeof value === 'string') return tidyText(value);
    if (Array.isArray(value)) return value.map(tidy);
    if (!isJson(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [tidyText(key), tidy(member)]),
    );
  };
  return { tidy };
}

function callsOf({ message }: Json): string[] {
  if (!isJson(message)) return [];
  return blocksOf(message['content']).flatMap(({ type, id }) =>
    type === 'tool_use' && typeof id === 'string' ? [id] : [],
  );
}

function name(names: Map<string, string>, kind: string, id: string): void {
  if (!names.has(id)) names.set(id, `${kind}-${names.size + 1}`);
}

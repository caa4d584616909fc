import { eq } from 'drizzle-orm';
import type { Queryable } from '../../storage/connection.js';
import { insertKind } from '../../storage/write-kind.js';
import { todos } from '../../storage/schema.js';
import { type Todo, todoStatuses } from '../../storage/shapes/stored-step.js';
import { isPlainObject } from '../../platform/json.js';

/** The todo list of a session. */
export async function loadTodos(db: Queryable, sessionId: string): Promise<Todo[]> {
  const [row] = await db.select().from(todos).where(eq(todos.sessionId, sessionId));
  return row?.items ?? [];
}

/** Replaces a session's whole list. Part of a fenced statement. */
export const replaceTodos = insertKind(
  todos,
  ['sessionId', 'items', 'updatedAt'],
  'on conflict (session_id) do update set items = excluded.items, updated_at = excluded.updated_at',
);

const MOST_TODOS = 100;
const LONGEST_ID = 64;
const LONGEST_CONTENT = 500;

/** Parses a whole todo list of a model. @returns the todos, or the problem as a text for the model. */
export function parseTodos(input: unknown): { todos: Todo[] } | { problem: string } {
  if (!Array.isArray(input)) return { problem: 'todos must be a list' };
  if (input.length > MOST_TODOS) return { problem: `at most ${MOST_TODOS} todos fit in the list` };
  const todos: Todo[] = [];
  for (const [index, item] of (input as unknown[]).entries()) {
    const problem = findProblem(item, todos);
    if (problem !== undefined) return { problem: `todos[${index}]: ${problem}` };
    const { id, content, status } = item as Todo;
    todos.push({ id, content: content.trim().replaceAll(/\s+/g, ' '), status });
  }
  if (todos.filter(({ status }) => status === 'in_progress').length > 1) {
    return { problem: 'only one todo may be in_progress at a time' };
  }
  return { todos };
}

function findProblem(item: unknown, before: readonly Todo[]): string | undefined {
  if (!isPlainObject(item)) return 'must be an object with id, content and status';
  const { id, content, status } = item;
  if (!isText(id, LONGEST_ID)) return `id must be text of 1 to ${LONGEST_ID} characters`;
  if (before.some((other) => other.id === id)) return `id ${JSON.stringify(id)} is there twice`;
  if (!isText(content, LONGEST_CONTENT)) {
    return `content must be text of 1 to ${LONGEST_CONTENT} characters`;
  }
  return todoStatuses.some((known) => known === status)
    ? undefined
    : `status must be one of ${todoStatuses.join(', ')}`;
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= most;
}

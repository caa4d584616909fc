import { eq } from 'drizzle-orm';
import type { Queryable } from '../storage/connection.js';
import { insertKind } from '../storage/write-kind.js';
import { todos } from '../storage/schema.js';
import type { Todo } from '../storage/shapes/stored-step.js';

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

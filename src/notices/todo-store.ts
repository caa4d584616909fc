import { Inject, Injectable } from '@nestjs/common';
import { eq, sql, type SQL } from 'drizzle-orm';
import { DATABASE, type Database } from '../storage/connection.js';
import { insertFenced } from '../storage/insert-from.js';
import { todos } from '../storage/conversation-schema.js';
import type { Todo } from '../storage/shapes/todo.js';

/** The todo list of each session. */
@Injectable()
export class TodoStore {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  async get(sessionId: string): Promise<Todo[]> {
    const [row] = await this.db.select().from(todos).where(eq(todos.sessionId, sessionId));
    return row?.items ?? [];
  }
}

/** Replaces a session's whole list. Part of a fenced statement. */
export function replaceTodos(sessionId: string, items: Todo[], updatedAt: Date): SQL {
  return insertFenced(
    todos,
    { sessionId, items, updatedAt },
    sql`on conflict (session_id) do update set
      items = excluded.items, updated_at = excluded.updated_at`,
  );
}

import { and, count, eq } from 'drizzle-orm';
import type { Database } from '../../storage/connection.js';
import { turns } from '../../storage/schema.js';
import type { AgUiMessage } from './dialect/ag-ui-frames.js';

/** Whether a client has fewer of the assistant's messages than its thread has turns that are done. */
export async function lacksMessages(
  db: Database,
  sessionId: string,
  messages: readonly AgUiMessage[],
): Promise<boolean> {
  const [found] = await db
    .select({ done: count() })
    .from(turns)
    .where(and(eq(turns.sessionId, sessionId), eq(turns.status, 'completed')));
  const has = messages.filter(({ role }) => role === 'assistant').length;
  return has < (found?.done ?? 0);
}

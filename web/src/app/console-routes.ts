/** Routes that only the console asks for. */
import type { TurnEvent } from '../../../src/events/turn-event.js';
import type { QueueView } from '../../../src/ops/view-queue.js';
import type { ListedSession } from '../../../src/session/view-session.js';
import type { ListedTurnView } from '../../../src/turn/history/view-listed-turn.js';
import { client } from './client.js';

export interface ToolSummary {
  name: string;
  description: string;
  effect: string;
  inputSchema: unknown;
}

/** Newest first. */
export function listSessions(cursor?: string) {
  return client().request<{ sessions: ListedSession[]; nextCursor?: string }>({
    path: '/api/harness/sessions',
    query: { limit: 50, cursor },
  });
}

/** Newest first. */
export async function listTurns(sessionId: string, limit: number): Promise<ListedTurnView[]> {
  const path = `/api/harness/sessions/${encodeURIComponent(sessionId)}/turns`;
  return (await client().request<{ turns: ListedTurnView[] }>({ path, query: { limit } })).turns;
}

export async function listTools(): Promise<ToolSummary[]> {
  return (await client().request<{ tools: ToolSummary[] }>({ path: '/api/harness/tools' })).tools;
}

/** A page of a turn's events, in order. */
export function readLog(turnId: string, cursor?: string) {
  return client().request<{ events: TurnEvent[]; nextCursor?: string }>({
    path: `/api/harness/turns/${encodeURIComponent(turnId)}/log`,
    query: { limit: 1_000, cursor },
  });
}

/** What waits and runs on the server. Needs the scope `admin`. */
export function readQueue(): Promise<QueueView> {
  return client().request({ path: '/api/admin/queue' });
}

/** Lets this browser look at the queue's board for a while. */
export function openBoard(): Promise<unknown> {
  return client().request({ method: 'POST', path: '/api/admin/board-session' });
}

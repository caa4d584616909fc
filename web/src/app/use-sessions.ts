import { useCallback, useEffect, useState } from 'react';
import type { ListedSession } from '#src/client/turnpike-client.js';
import { client } from '../api/client.js';
import { subscribeToTabs } from '../api/tabs.js';
import { useResource } from './use-resource.js';
import { useValue, ValueStore } from '../hooks/value-store.js';

const EVERY_MS = 10_000;
/** Sessions of the first page, and of each one that is asked for after it. */
const PAGE = 50;
const rounds = new ValueStore(0);

/** Which sessions are listed: those of people, those that schedules made, or all. */
export type SessionKind = 'chats' | 'scheduled' | 'all';

const scheduledOf = { chats: 'hide', scheduled: 'only', all: 'show' } as const;

export interface SessionList {
  /** Undefined until they are loaded; those of the choice before, while another one is loaded. */
  value: readonly ListedSession[] | undefined;
  hasMore: boolean;
  /** Loads another page. */
  more: () => void;
  fault: unknown;
  reload: () => void;
}

interface Loaded {
  sessions: ListedSession[];
  hasMore: boolean;
}

/** Reloads the list, after a change that it shows. */
export function sessionsChanged(): void {
  rounds.update((count) => count + 1);
}

/** The caller's sessions, the one used last first, a page at a time. */
export function useSessions(kind: SessionKind = 'all', search = ''): SessionList {
  const [pages, setPages] = useState(1);
  const load = useCallback(() => loadPages(pages, kind, search), [pages, kind, search]);
  const { value, fault, reload } = useResource(load, EVERY_MS);
  const [last, setLast] = useState(value);
  if (value !== undefined && value !== last) setLast(value);
  useEffect(() => setPages(1), [kind, search]);
  const round = useValue(rounds);
  useEffect(reload, [reload, round]);
  useEffect(
    () =>
      subscribeToTabs(({ type }) => {
        if (type === 'sessions' || type === 'turn') reload();
      }),
    [reload],
  );
  const shown = value ?? last;
  return {
    value: shown?.sessions,
    hasMore: shown?.hasMore ?? false,
    more: () => {
      if (value !== undefined) setPages(pages + 1);
    },
    fault,
    reload,
  };
}

async function loadPages(pages: number, kind: SessionKind, search: string): Promise<Loaded> {
  const sessions = new Map<string, ListedSession>();
  let cursor: string | undefined;
  for (let page = 0; page < pages; page += 1) {
    const found = await client().sessions.list({
      limit: PAGE,
      cursor,
      scheduled: scheduledOf[kind],
      ...(search === '' ? {} : { search }),
    });
    // One that is used between two pages is on both.
    for (const session of found.sessions) sessions.set(session.sessionId, session);
    cursor = found.nextCursor;
    if (cursor === undefined) break;
  }
  return { sessions: [...sessions.values()], hasMore: cursor !== undefined };
}

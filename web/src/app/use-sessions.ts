import { useCallback, useEffect } from 'react';
import type { ListedSession } from '../../../src/session/view-session.js';
import { client } from './client.js';
import { subscribeToTabs } from './tabs.js';
import { useResource, type Resource } from './use-resource.js';
import { useValue } from './use-value.js';
import { ValueStore } from './value-store.js';

const EVERY_MS = 10_000;
const rounds = new ValueStore(0);

/** Reloads the list, after a change that it shows. */
export function sessionsChanged(): void {
  rounds.update((count) => count + 1);
}

/** The caller's sessions, newest first. */
export function useSessions(): Resource<ListedSession[]> {
  const load = useCallback(async () => (await client().sessions.list({ limit: 50 })).sessions, []);
  const resource = useResource(load, EVERY_MS);
  const { reload } = resource;
  const round = useValue(rounds);
  useEffect(reload, [reload, round]);
  useEffect(
    () =>
      subscribeToTabs(({ type }) => {
        if (type === 'sessions' || type === 'turn') reload();
      }),
    [reload],
  );
  return resource;
}

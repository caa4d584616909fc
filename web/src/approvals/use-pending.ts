import { useCallback, useEffect } from 'react';
import type { ApprovalView } from '../../../src/client/turnpike-client.js';
import { client } from '../app/client.js';
import { onTabNews } from '../app/tabs.js';
import { useResource, type Resource } from '../app/use-resource.js';

const EVERY_MS = 5_000;

/** What waits for a person. */
export function usePending(): Resource<ApprovalView[]> {
  const load = useCallback(
    async () => (await client().approvals.list({ limit: 200 })).approvals,
    [],
  );
  const resource = useResource(load, EVERY_MS);
  const { reload } = resource;
  useEffect(
    () =>
      onTabNews(({ type }) => {
        if (type === 'approvals') reload();
      }),
    [reload],
  );
  return resource;
}

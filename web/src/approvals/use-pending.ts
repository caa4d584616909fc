import { useCallback, useEffect } from 'react';
import type { ApprovalView } from '../../../src/client/turnpike-client.js';
import { client } from '../app/client.js';
import { subscribeToTabs } from '../app/tabs.js';
import { useResource, type Resource } from '../app/use-resource.js';

const EVERY_MS = 5_000;

/** The open questions. */
export function usePending(): Resource<ApprovalView[]> {
  const load = useCallback(
    async () => (await client().approvals.list({ limit: 200 })).approvals,
    [],
  );
  const resource = useResource(load, EVERY_MS);
  const { reload } = resource;
  useEffect(
    () =>
      subscribeToTabs(({ type }) => {
        if (type === 'approvals') reload();
      }),
    [reload],
  );
  return resource;
}

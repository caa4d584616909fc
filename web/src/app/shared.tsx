import { createContext, useCallback, useContext, useEffect, type ReactNode } from 'react';
import type { ListedApprovalView, SessionDefaults } from '#src/client/turnpike-client.js';
import { client } from '../api/client.js';
import { subscribeToTabs } from '../api/tabs.js';
import { useResource, type Resource } from './use-resource.js';

const PENDING_MS = 5_000;

interface Shared {
  pending: Resource<ListedApprovalView[]>;
  /** Undefined until it is loaded. */
  caller: SessionDefaults | undefined;
}

const SharedContext = createContext<Shared | undefined>(undefined);

/** What many places of the page show, loaded once for all of them. */
export function SharedProvider({ children }: { children: ReactNode }) {
  const pending = useResource(
    useCallback(async () => (await client().approvals.list({ limit: 200 })).approvals, []),
    PENDING_MS,
  );
  const { value: caller } = useResource(useCallback(() => client().sessions.defaults(), []));
  const { reload } = pending;
  useEffect(
    () =>
      subscribeToTabs(({ type }) => {
        if (type === 'approvals') reload();
      }),
    [reload],
  );
  return <SharedContext value={{ pending, caller }}>{children}</SharedContext>;
}

/** The open approvals. */
export function usePending(): Resource<ListedApprovalView[]> {
  return useShared().pending;
}

/** Who uses the page, and what sessions have that name nothing. */
export function useCaller(): SessionDefaults | undefined {
  return useShared().caller;
}

/** Whether the caller may answer approvals; true until that is known. */
export function useMayApprove(): boolean {
  return useCaller()?.scopes.includes('approvals') ?? true;
}

/** Whether the caller may see the queue; on a server without keys everybody may. */
export function useMaySeeQueue(): boolean {
  const caller = useCaller();
  return caller === undefined || !caller.isKeyed || caller.scopes.includes('admin');
}

function useShared(): Shared {
  const shared = useContext(SharedContext);
  if (shared === undefined) throw new Error('This is outside of SharedProvider');
  return shared;
}

import {
  keepPreviousData,
  MutationCache,
  onlineManager,
  QueryCache,
  QueryClient,
  useInfiniteQuery,
  useQuery,
  type InfiniteData,
} from '@tanstack/react-query';
import type { ListedSession } from '#src/client/turnpike-client.js';
import { agentTitle } from './agent-title.js';
import { apiKey } from './api-key.js';
import { client, reportFault } from './client.js';
import { isLost } from './connection.js';
import { isLoggedIn } from './log-in.js';
import type { AwaitedPeople } from '../features/chat/conversation/turn-view.js';
import { useValue } from '../hooks/value-store.js';
import { subscribeToTabs } from './tabs.js';

/** What the pages have loaded. Every fault is reported here, and shown where its query or mutation is. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: reportFault }),
  mutationCache: new MutationCache({ onError: reportFault }),
  defaultOptions: {
    // The typed client retries by itself.
    queries: { retry: false, refetchOnWindowFocus: 'always', refetchOnReconnect: 'always' },
    // A button works now or fails now: nothing is sent later, when the server is back.
    mutations: { networkMode: 'always' },
  },
});

/** The first part of the keys of queries that changes make stale. */
export type QueryKind =
  | 'approvals'
  | 'keys'
  | 'mcp-logins'
  | 'memory'
  | 'schedules'
  | 'sessions'
  | 'turns'
  | 'webhooks';

/** Loads again what is shown of a kind, after a change of it. */
export function invalidate(kind: QueryKind): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: [kind] });
}

// Queries wait while the server cannot be reached, and start again once it answers.
onlineManager.setEventListener((setOnline) => isLost.subscribe(() => setOnline(!isLost.get())));

// Another key may see other data. What is on the screen stays until its replacement is loaded; the rest is dropped.
apiKey.subscribe(() => {
  isLoggedIn.set(false);
  queryClient.removeQueries({ type: 'inactive' });
  void queryClient.cancelQueries().then(() => queryClient.invalidateQueries());
});

subscribeToTabs(({ type }) => {
  if (type === 'approvals') void invalidate('approvals');
  if (type === 'sessions' || type === 'turn') void invalidate('sessions');
});

/** The models that turns may name. Every page works without them. */
export function useModels() {
  return useQuery({ queryKey: ['models'], queryFn: () => client().models() }).data;
}

export function useAgents() {
  return useQuery({ queryKey: ['agents'], queryFn: () => client().agents() });
}

/** Agents' titles, which people read in place of their names: see `agentTitle`. */
export function useAgentTitles(): (name: string) => string {
  const { data: agents = [] } = useAgents();
  const standard = useCaller()?.persona;
  return (name) => agentTitle(name, agents, standard);
}

/**
 * No stream tells of the questions of all sessions: a page that is seen asks, and asks at once when a turn that it follows
 * says so.
 */
const APPROVALS_MS = 5_000;

/** The open approvals. */
export function usePendingApprovals() {
  return useQuery({
    queryKey: ['approvals', 'pending'],
    queryFn: async () => (await client().approvals.list({ limit: 200 })).approvals,
    refetchInterval: APPROVALS_MS,
    // Many parts of the page show them. A part that appears does not load them again.
    staleTime: APPROVALS_MS,
  });
}

/** The open approvals of others that the caller may answer. */
export function useAwaitedApprovals() {
  return useQuery({
    queryKey: ['approvals', 'awaited'],
    queryFn: async () => (await client().approvals.awaited.list({ limit: 200 })).approvals,
    refetchInterval: APPROVALS_MS,
    staleTime: APPROVALS_MS,
  });
}

/** Who uses the page, and the defaults of sessions; undefined until it is loaded. */
export function useCaller() {
  return useQuery({
    queryKey: ['caller'],
    queryFn: () => client().sessions.defaults(),
    staleTime: Infinity,
  }).data;
}

/** A command line for the terminal of the server, as it is typed there. */
export function useCommand(): (line: string) => string {
  const command = useCaller()?.command ?? 'turnpike';
  return (line) => `${command} ${line}`;
}

/** The credential of the caller, and what it may do; undefined until it is loaded. */
function useMe({ isNeeded }: { isNeeded: boolean }) {
  return useQuery({
    queryKey: ['me'],
    queryFn: async () => {
      const me = await client().me();
      isLoggedIn.set(me.credential.kind === 'login');
      return me;
    },
    enabled: isNeeded,
    staleTime: Infinity,
  }).data;
}

/** The person who has logged in to the console; undefined: nobody has, or a key is used. */
export function usePerson() {
  const key = useValue(apiKey);
  const isKeyed = useCaller()?.isKeyed === true;
  const me = useMe({ isNeeded: isKeyed && key === undefined });
  return key === undefined && me?.credential.kind === 'login' ? me : undefined;
}

/** Whether the caller is one of those who decide about an own call; true until that is known. */
export function useCounts(awaits: readonly AwaitedPeople[] | undefined): boolean {
  const me = useMe({ isNeeded: awaits !== undefined });
  if (awaits === undefined || me === undefined) return true;
  return awaits.some(
    ({ by, notRequester }) => !notRequester && by.some((role) => me.approves.includes(role)),
  );
}

/** Whether the caller may answer approvals; true until that is known. */
export function useMayApprove(): boolean {
  return useCaller()?.scopes.includes('approvals') ?? true;
}

/** Whether the caller may see the queue and try tools; on a server without keys everybody may. */
export function useIsOperator(): boolean {
  const caller = useCaller();
  return caller === undefined || !caller.isKeyed || caller.scopes.includes('admin');
}

const SESSIONS_MS = 10_000;
const SESSIONS_PER_PAGE = 50;

/** Which sessions are listed: those that people started, those that schedules started, or all. */
export type SessionKind = 'chats' | 'scheduled' | 'all';

const scheduledOf = { chats: 'hide', scheduled: 'only', all: 'show' } as const;

/** The caller's sessions, the last used first, page by page. The former list stays while a new search is loaded. */
export function useSessions(kind: SessionKind = 'all', search = '') {
  return useInfiniteQuery({
    queryKey: ['sessions', kind, search],
    queryFn: ({ pageParam }: { pageParam: string | undefined }) =>
      client().sessions.list({
        limit: SESSIONS_PER_PAGE,
        cursor: pageParam,
        scheduled: scheduledOf[kind],
        ...(search === '' ? {} : { search }),
      }),
    initialPageParam: undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    select: distinctSessions,
    placeholderData: keepPreviousData,
    refetchInterval: SESSIONS_MS,
  });
}

/** A session that is used between the requests of two pages is on both: it is listed once. */
function distinctSessions({ pages }: InfiniteData<{ sessions: ListedSession[] }>): ListedSession[] {
  const sessions = pages.flatMap((page) => page.sessions);
  return [...new Map(sessions.map((session) => [session.sessionId, session])).values()];
}

import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { TurnList } from '#src/client/server-types.js';
import type { QueueDto } from '#src/operations/queue.dto.js';
import { useSearch } from 'wouter';
import { client } from '../../api/client.js';
import { navigate } from '../../app/navigation.js';
import { useCaller, useIsOperator } from '../../api/queries.js';
import { Button } from '../../components/button.js';
import { EmptyState, Loaded, Page } from '../../components/page.js';
import { Toggle } from '../../components/toggle.js';
import { FilterBar } from './filter-bar.js';
import { formatFilters, parseFilters, toQuery, type ShownFilters } from './turn-filters.js';
import { TurnTable } from './turn-table.js';

/** Milliseconds between two looks at the list, and at the queue. */
const POLL_MS = 2_000;
const PER_PAGE = 50;

/** Every turn, the newest first, by filters that are in the URL; what runs is kept up to date. */
export function TurnsPage() {
  const [filters, change] = useShownFilters();
  const caller = useCaller();
  const isAdmin = useIsOperator();
  const ofAll = filters.of === 'all';
  const turns = useTurns(filters);
  return (
    <Page
      isWide
      title="Turns"
      lead={isAdmin ? <Slots /> : 'Every turn of your sessions, the newest first.'}
      actions={
        isAdmin &&
        caller?.isKeyed === true && (
          <div role="group" aria-label="Whose turns" className="flex gap-1">
            <Toggle label="Mine" isOn={!ofAll} onChange={() => change({ of: '' })} />
            <Toggle label="Everybody’s" isOn={ofAll} onChange={() => change({ of: 'all' })} />
          </div>
        )
      }
    >
      <FilterBar filters={filters} ofAll={ofAll} onChange={change} />
      <Loaded from={turns} what="turns">
        {(all) => (
          <>
            {all.length === 0 ? (
              <EmptyState title="No such turns.">
                A turn is here from the moment it is sent. Change or clear the filters to see
                others.
              </EmptyState>
            ) : (
              <TurnTable turns={all} ofAll={ofAll} />
            )}
            {turns.hasNextPage && (
              <p className="mt-3 text-center">
                <Button
                  disabled={turns.isFetchingNextPage}
                  onClick={() => void turns.fetchNextPage()}
                >
                  Show older turns
                </Button>
              </p>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** The filters that the URL has, and a function that changes some of them there. */
function useShownFilters(): [ShownFilters, (change: ShownFilters) => void] {
  const search = useSearch();
  const filters = parseFilters(search);
  const change = (changed: ShownFilters): void => {
    const query = formatFilters({ ...filters, ...changed });
    navigate(`/turns${query === '' ? '' : `?${query}`}`);
  };
  return [filters, change];
}

/** The list, page by page. What is loaded stays on the screen while another filter is asked for. */
function useTurns(filters: ShownFilters) {
  return useInfiniteQuery({
    queryKey: ['turns', 'list', filters],
    queryFn: ({ pageParam }: { pageParam: string | undefined }) => {
      const query = {
        ...toQuery(filters, Date.now()),
        limit: PER_PAGE,
        ...(pageParam === undefined ? {} : { cursor: pageParam }),
      };
      const { turns } = client();
      return filters.of === 'all' ? turns.listAll(query) : turns.list(query);
    },
    initialPageParam: undefined,
    getNextPageParam: ({ nextCursor }: TurnList) => nextCursor,
    select: ({ pages }) => pages.flatMap(({ turns }) => turns),
    placeholderData: keepPreviousData,
    refetchInterval: POLL_MS,
  });
}

/** How many turns have not ended, and the workers' slots. */
function Slots() {
  const { data } = useQuery({
    queryKey: ['queue'],
    queryFn: () => client().queue(),
    refetchInterval: POLL_MS,
  });
  return data === undefined ? 'Every turn, the newest first.' : describeQueue(data);
}

function describeQueue({ statuses, places: { workers, each, used }, backEnd }: QueueDto): string {
  const order = ['running', 'waiting', 'queued', 'held'] as const;
  const depths = order
    .filter((status) => statuses[status].depth > 0)
    .map((status) => `${statuses[status].depth} ${status}`);
  const turns = depths.length === 0 ? 'No turn is waiting or running' : depths.join(', ');
  const ofWorkers = workers === 1 ? '1 worker' : `${workers} workers`;
  const slots =
    workers === null
      ? `${used} slots used, ${each} on each worker`
      : `${used} of ${workers * each} slots used, ${ofWorkers}`;
  return `${turns}. ${slots} (${backEnd}).`;
}

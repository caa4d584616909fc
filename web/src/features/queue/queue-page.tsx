import { useMutation, useQuery } from '@tanstack/react-query';
import { invalidate, useCaller } from '../../api/queries.js';
import type { QueuedTurnDto, QueueDto, StatusDto } from '#src/ops/queue.dto.js';
import { client } from '../../api/client.js';
import { Link } from 'wouter';
import { Loaded, EmptyState, Page } from '../../components/page.js';
import { describeFault } from '../../api/describe-fault.js';
import { useNow } from '../../hooks/use-now.js';
import { Button } from '../../components/button.js';
import { formatAgo } from '../../components/format.js';
import { Table } from '../../components/table.js';

const POLL_MS = 2_000;

const meanings: Record<keyof QueueDto['statuses'], [string, string]> = {
  running: ['Running', 'On a worker.'],
  waiting: ['Waiting', 'For an approval or for a client.'],
  queued: ['Queued', 'For a free slot on a worker.'],
  held: ['Held', 'Behind the turn before it in its session.'],
};

const order = ['running', 'waiting', 'queued', 'held'] as const;

/** The turns that have not ended, and the workers' slots. */
export function QueuePage() {
  const queue = useQuery({
    queryKey: ['queue'],
    queryFn: () => client().queue(),
    refetchInterval: POLL_MS,
  });
  return (
    <Page
      title="Queue"
      lead={queue.data === undefined ? 'Turns that are not finished.' : describeSlots(queue.data)}
    >
      <Loaded from={queue} what="the queue">
        {(value) => (
          <>
            <dl className="mb-6 grid grid-cols-2 gap-3 sm:grid-cols-4">
              {order.map((status) => (
                <div key={status} className="rounded-xl border border-line bg-panel px-4 py-3">
                  <dt className="text-xs text-muted">{meanings[status][0]}</dt>
                  <dd className="text-2xl font-semibold tabular-nums">
                    {value.statuses[status].depth}
                  </dd>
                  <dd className="text-xs text-muted">{meanings[status][1]}</dd>
                </div>
              ))}
            </dl>
            {order.map((status) => (
              <StatusTable key={status} name={meanings[status][0]} view={value.statuses[status]} />
            ))}
            {order.every((status) => value.statuses[status].depth === 0) && (
              <EmptyState title="No turns are waiting or running.">
                Turns appear here from the moment they are sent until they end.
              </EmptyState>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function describeSlots({ places: { workers, each, used }, backEnd }: QueueDto): string {
  if (workers === null) return `${used} slots used; ${each} on each worker (${backEnd}).`;
  const words = workers === 1 ? '1 worker' : `${workers} workers`;
  return `${used} of ${workers * each} slots used: ${words} with ${each} each (${backEnd}).`;
}

function StatusTable({ name, view: { depth, oldest, newest } }: { name: string; view: StatusDto }) {
  const now = useNow(5_000);
  if (depth === 0) return null;
  const left = depth - oldest.length - newest.length;
  return (
    <section aria-label={name} className="mb-6">
      <h2 className="mb-2 text-sm font-semibold">
        {name} <span className="font-normal text-muted tabular-nums">{depth}</span>
      </h2>
      <Table
        label={`Turns: ${name}`}
        heads={['Message', 'Agent', 'Folder', 'By', 'Sent', 'Started', '']}
        cell="px-3 py-2"
      >
        {oldest.map((turn) => (
          <TurnRow key={turn.turnId} turn={turn} now={now} />
        ))}
        {left > 0 && (
          <tr>
            <td colSpan={7} className="px-3 py-1.5 text-xs text-muted">
              {left} more
            </td>
          </tr>
        )}
        {newest.map((turn) => (
          <TurnRow key={turn.turnId} turn={turn} now={now} />
        ))}
      </Table>
    </section>
  );
}

function TurnRow({ turn, now }: { turn: QueuedTurnDto; now: number }) {
  const { turnId, message, agent, projectRoot, principal, attempt, createdAt, startedAt } = turn;
  const caller = useCaller();
  const stopping = useMutation({
    mutationFn: () => client().turns.interrupt(turnId),
    onSuccess: () => invalidate('queue'),
  });
  return (
    <tr className="border-t border-line first:border-t-0">
      <th scope="row" className="max-w-56 px-3 py-1.5 font-normal">
        <Link
          href={`/turns/${turnId}`}
          title={turnId}
          className="block truncate text-accent-ink underline"
        >
          {message ?? turnId}
        </Link>
        <span className="text-xs text-muted">
          {turn.parentTurnId !== undefined && 'subagent '}
          {attempt > 1 && `attempt ${attempt} `}
          {stopping.error !== null && (
            <span role="alert" className="text-bad">
              {describeFault(stopping.error).text}
            </span>
          )}
        </span>
      </th>
      <td className="px-3 py-1.5 whitespace-nowrap">{agent}</td>
      <td className="max-w-40 truncate px-3 py-1.5 font-mono text-xs" title={projectRoot}>
        {projectRoot.split('/').at(-1)}
      </td>
      <td className="px-3 py-1.5 whitespace-nowrap">{principal}</td>
      <td className="px-3 py-1.5 whitespace-nowrap text-muted">{formatAgo(createdAt, now)}</td>
      <td className="px-3 py-1.5 whitespace-nowrap text-muted">
        {startedAt === null ? '–' : formatAgo(startedAt, now)}
      </td>
      <td className="px-2 py-1 text-right">
        {/* Turns of others are not for this key to stop. */}
        {principal === caller?.principal && (
          <Button className="h-7!" disabled={stopping.isPending} onClick={() => stopping.mutate()}>
            Stop
          </Button>
        )}
      </td>
    </tr>
  );
}

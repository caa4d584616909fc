import { AgentName } from '../../components/agent-name.js';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { TurnSummary } from '#src/client/server-types.js';
import { client } from '../../api/client.js';
import { describeFault } from '../../api/describe-fault.js';
import { invalidate, useCaller } from '../../api/queries.js';
import { Button } from '../../components/button.js';
import {
  allTokens,
  countOf,
  formatAgo,
  formatDuration,
  formatShort,
  formatUsd,
} from '../../components/format.js';
import { Table, shownFrom, type Head } from '../../components/table.js';
import { useNow } from '../../hooks/use-now.js';

const colours: Readonly<Record<TurnSummary['status'], string>> = {
  held: 'bg-line-strong',
  queued: 'bg-line-strong',
  running: 'bg-accent',
  waiting: 'bg-amber-line',
  completed: 'bg-good',
  limited: 'bg-amber-line',
  interrupted: 'bg-line-strong',
  failed: 'bg-bad',
};

/** Turns with what each did and cost. */
export function TurnTable({ turns, ofAll }: { turns: readonly TurnSummary[]; ofAll: boolean }) {
  const now = useNow(1_000);
  const heads: Head[] = [
    'Turn',
    'Status',
    { title: 'Took', from: 'md' },
    { title: 'First token', from: '2xl' },
    { title: 'Calls', from: 'xl' },
    { title: 'Tokens', from: 'lg' },
    { title: 'Cost', from: 'lg' },
    ...(ofAll ? [{ title: 'By', from: 'xl' } as const] : []),
    { title: 'Sent', from: 'lg' },
    '',
  ];
  return (
    <Table label="Turns" heads={heads} cell="px-2.5 py-2" className="text-sm tabular-nums">
      {turns.map((turn) => (
        <TurnRow key={turn.turnId} turn={turn} ofAll={ofAll} now={now} />
      ))}
    </Table>
  );
}

function TurnRow({ turn, ofAll, now }: { turn: TurnSummary; ofAll: boolean; now: number }) {
  const { turnId, title, agent, model, usage, durationMs, firstTokenMs, endedAt, createdAt } = turn;
  const took = durationMs ?? now - Date.parse(createdAt);
  return (
    <tr className="border-t border-line align-top first:border-t-0">
      <th scope="row" className="w-full max-w-0 min-w-36 px-2.5 py-2 text-left font-normal">
        <Link
          href={`/turns/${turnId}`}
          title={turnId}
          className="block truncate text-accent-ink underline"
        >
          {title ?? turnId}
        </Link>
        <span className="block truncate text-xs text-muted">
          {turn.parentTurnId !== undefined && 'subagent · '}
          <AgentName name={agent} /> · {model}
          {turn.attempt > 1 && (
            <span title="A worker takes a turn up again after a wait for an answer, and after the death of its worker.">
              {` · resumed ${turn.attempt === 2 ? 'once' : `${turn.attempt - 1} times`}`}
            </span>
          )}
        </span>
        <span className="block truncate text-xs text-muted lg:hidden">
          {factsOf(turn, took, now, ofAll)}
        </span>
      </th>
      <td className="px-2.5 py-2">
        <Status turn={turn} />
      </td>
      <td
        className={`${shownFrom.md} px-2.5 py-2 whitespace-nowrap ${endedAt === null ? 'text-muted' : ''}`}
      >
        {formatDuration(took)}
      </td>
      <td className={`${shownFrom['2xl']} px-2.5 py-2 whitespace-nowrap text-muted`}>
        {firstTokenMs === null ? '–' : formatDuration(firstTokenMs)}
      </td>
      <td
        className={`${shownFrom.xl} px-2.5 py-2 whitespace-nowrap`}
        title={turn.tools.length === 0 ? undefined : turn.tools.join(', ')}
      >
        {countOf(turn.steps, 'model call')}
        {turn.toolCalls > 0 && (
          <span className="block text-xs text-muted">{countOf(turn.toolCalls, 'tool call')}</span>
        )}
      </td>
      <td className={`${shownFrom.lg} px-2.5 py-2`}>
        {usage === null ? '–' : formatShort(allTokens(usage))}
      </td>
      <td className={`${shownFrom.lg} px-2.5 py-2`}>
        {usage?.costUsd === undefined ? '–' : formatUsd(usage.costUsd)}
      </td>
      {ofAll && (
        <td className={`${shownFrom.xl} max-w-32 truncate px-2.5 py-2`} title={turn.principal}>
          {turn.principal}
        </td>
      )}
      <td className={`${shownFrom.lg} px-2.5 py-2 whitespace-nowrap text-muted`} title={createdAt}>
        {formatAgo(createdAt, now)}
      </td>
      <td className="px-2 py-1 text-right">{endedAt === null && <Stop turn={turn} />}</td>
    </tr>
  );
}

/** What the columns say that a narrow page has no room for. */
function factsOf(
  { usage, createdAt, principal }: TurnSummary,
  took: number,
  now: number,
  ofAll: boolean,
): string {
  return [
    formatAgo(createdAt, now),
    formatDuration(took),
    ...(usage === null ? [] : [`${formatShort(allTokens(usage))} tokens`]),
    ...(usage?.costUsd === undefined ? [] : [formatUsd(usage.costUsd)]),
    ...(ofAll ? [`by ${principal}`] : []),
  ].join(' · ');
}

/** The status, and of a failed turn why, with what to do. */
function Status({ turn: { status, reason, error } }: { turn: TurnSummary }) {
  const why = error === null ? reason : (error.reason ?? error.type);
  const isPlain = status === 'completed' || why === null;
  return (
    <>
      <span className="flex items-center gap-1.5 whitespace-nowrap">
        <span aria-hidden className={`size-2 shrink-0 rounded-full ${colours[status]}`} />
        {status}
      </span>
      {!isPlain && (
        <span
          className={`block max-w-56 text-xs ${error === null ? 'text-muted' : 'text-bad'}`}
          title={error === null ? undefined : (error.message ?? error.action)}
        >
          {why.toLowerCase().replaceAll('_', ' ')}
        </span>
      )}
    </>
  );
}

/** Turns of others are not for this key to stop. */
function Stop({ turn: { turnId, principal } }: { turn: TurnSummary }) {
  const caller = useCaller();
  const stopping = useMutation({
    mutationFn: () => client().turns.interrupt(turnId),
    onSuccess: () => invalidate('turns'),
  });
  if (principal !== caller?.principal) return null;
  return (
    <>
      <Button className="h-7!" disabled={stopping.isPending} onClick={() => stopping.mutate()}>
        Stop
      </Button>
      {stopping.error !== null && (
        <span role="alert" className="block text-xs text-bad">
          {describeFault(stopping.error).text}
        </span>
      )}
    </>
  );
}

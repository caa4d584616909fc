import { useQuery } from '@tanstack/react-query';
import { useCaller } from '../../api/queries.js';
import { useState } from 'react';
import type { DayOfUsage, UsageView } from '#src/client/turnpike-client.js';
import { client } from '../../api/client.js';
import { HelpLink, Loaded, EmptyState, Page } from '../../components/page.js';
import { formatCount, formatShort, formatUsd } from '../../components/format.js';
import { Table } from '../../components/table.js';
import { Toggle } from '../../components/toggle.js';

/** Tokens and cost of the last days, and of the limits of today. */
export function UsagePage() {
  const caller = useCaller();
  const [isOfAll, setOfAll] = useState(false);
  const of = isOfAll ? 'all' : 'own';
  const days = useQuery({
    queryKey: ['usage', 'days', of],
    queryFn: () => client().usageDays(of),
  });
  const today = useQuery({ queryKey: ['usage', 'today'], queryFn: () => client().usage() });
  return (
    <Page
      title="Usage"
      lead="Turns, tokens and cost of the last 30 days. Days are in UTC."
      actions={
        caller?.scopes.includes('admin') === true && (
          <Toggle label="All principals" isOn={isOfAll} onChange={setOfAll} />
        )
      }
    >
      {today.data !== undefined && <Limits usage={today.data} />}
      <Loaded from={days} what="usage">
        {(all) =>
          all.length === 0 ? (
            <EmptyState title="No usage yet.">
              Finished turns appear here.{' '}
              <HelpLink topic="operate/budgets">Limits on spending</HelpLink>
            </EmptyState>
          ) : (
            <>
              <Totals days={all} />
              <DayTable days={all} hasPrincipals={isOfAll} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

/** What is used of the limits of a day; nothing where there is none. */
function Limits({ usage: { tokens, usd } }: { usage: UsageView }) {
  const words = [
    ...(tokens === null
      ? []
      : [`${formatShort(tokens.used)} of ${formatShort(tokens.limit)} tokens`]),
    ...(usd === null ? [] : [`${formatUsd(usd.used)} of ${formatUsd(usd.limit)}`]),
  ];
  if (words.length === 0) return null;
  return <p className="mb-4 text-sm">Used of today’s limit: {words.join(', ')}.</p>;
}

function Totals({ days }: { days: readonly DayOfUsage[] }) {
  const sum = (of: (day: DayOfUsage) => number): number =>
    days.reduce((total, day) => total + of(day), 0);
  const facts: [string, string][] = [
    ['Turns', formatCount(sum(({ turns }) => turns))],
    ['Tokens', formatShort(sum(({ tokens }) => tokens))],
    ['Cost', formatUsd(sum(({ usd }) => usd))],
  ];
  return (
    <dl className="mb-6 grid grid-cols-3 gap-3">
      {facts.map(([label, value]) => (
        <div
          key={label}
          className="min-w-0 rounded-xl border border-line bg-panel px-3 py-3 sm:px-4"
        >
          <dt className="text-xs text-muted">{label}</dt>
          <dd className="truncate text-lg font-semibold tabular-nums sm:text-2xl">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function DayTable({
  days,
  hasPrincipals,
}: {
  days: readonly DayOfUsage[];
  hasPrincipals: boolean;
}) {
  const heads = [
    'Day',
    ...(hasPrincipals ? ['Principal'] : []),
    'Model',
    'Turns',
    'Tokens',
    'Cost',
  ];
  return (
    <Table label="Usage by day" heads={heads} className="text-sm tabular-nums">
      {days.map(({ day, principal, model, turns, tokens, usd }) => (
        <tr key={`${day} ${principal} ${model}`} className="border-t border-line first:border-t-0">
          <th scope="row" className="px-4 py-1.5 font-normal whitespace-nowrap">
            {day}
          </th>
          {hasPrincipals && <td className="px-4 py-1.5">{principal}</td>}
          <td className="px-4 py-1.5 whitespace-nowrap">{model}</td>
          <td className="px-4 py-1.5">{formatCount(turns)}</td>
          <td className="px-4 py-1.5">{formatShort(tokens)}</td>
          <td className="px-4 py-1.5">{usd === 0 ? '–' : formatUsd(usd)}</td>
        </tr>
      ))}
    </Table>
  );
}

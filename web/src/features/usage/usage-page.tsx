import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { DayOfUsage, UsageView } from '#src/client/turnpike-client.js';
import { useSearch } from 'wouter';
import { client } from '../../api/client.js';
import { navigate } from '../../app/navigation.js';
import { useAgentTitles, useCaller, useIsOperator, useModels } from '../../api/queries.js';
import { formatCount, formatShort, formatUsd } from '../../components/format.js';
import { EmptyState, HelpLink, Loaded, Page } from '../../components/page.js';
import { shownFrom, Table } from '../../components/table.js';
import { Toggle } from '../../components/toggle.js';
import { UsageChart } from './usage-chart.js';
import {
  daysOf,
  fieldsOf,
  formatView,
  parseView,
  rangeDays,
  type ShownUsage,
  type UsageField,
} from './usage-range.js';

const rangeWords: Readonly<Record<string, string>> = {
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
  '365d': 'A year',
};

/** Cost and tokens by day, and of the limits of today. */
export function UsagePage() {
  const titleOf = useAgentTitles();
  const caller = useCaller();
  const isAdmin = useIsOperator() && caller?.isKeyed === true;
  const view = parseView(useSearch());
  const change = (changed: Partial<ShownUsage>): void => {
    const query = formatView({ ...view, ...changed });
    navigate(`/usage${query === '' ? '' : `?${query}`}`);
  };
  const { of, range, by } = view;
  const days = daysOf(range, Date.now());
  const since = days[0] ?? '';
  const usage = useQuery({
    queryKey: ['usage', 'days', of, since, by],
    queryFn: () => client().usageDays({ of, since, by }),
    placeholderData: keepPreviousData,
  });
  const today = useQuery({ queryKey: ['usage', 'today'], queryFn: () => client().usage() });
  const isRehearsal = useModels()?.provider === 'rehearsal';
  // A price can be given to the rehearsal model as well.
  const isFree = isRehearsal && usage.data?.every(({ usd }) => usd === 0) === true;
  const show = view.show ?? (isFree ? 'tokens' : 'usd');
  return (
    <Page
      title="Usage"
      lead={
        isFree
          ? 'The rehearsal model costs nothing. Days are in UTC.'
          : 'What turns cost. Days are in UTC.'
      }
      actions={
        isAdmin && (
          <div role="group" aria-label="Whose usage" className="flex gap-1">
            <Toggle label="Mine" isOn={of === 'own'} onChange={() => change({ of: 'own' })} />
            <Toggle
              label="Everybody’s"
              isOn={of === 'all'}
              onChange={() => change({ of: 'all' })}
            />
          </div>
        )
      }
    >
      {today.data !== undefined && <Limits usage={today.data} />}
      <div className="mb-4 flex flex-wrap gap-x-6 gap-y-2">
        <Choices
          label="Range"
          options={Object.keys(rangeDays)}
          words={rangeWords}
          value={range}
          onChange={(chosen) => change({ range: chosen })}
        />
        <Choices
          label="By"
          options={fieldsOf[of]}
          value={by}
          onChange={(chosen) => change({ by: chosen })}
        />
        <Choices
          label="Show"
          options={['usd', 'tokens'] as const}
          words={{ usd: 'cost', tokens: 'tokens' }}
          value={show}
          onChange={(chosen) => change({ show: chosen })}
        />
      </div>
      <Loaded from={usage} what="usage">
        {(found) => {
          const all = found.map((one) => titled(one, titleOf));
          return all.length === 0 ? (
            <EmptyState title="No usage in this range.">
              Finished turns appear here.{' '}
              <HelpLink topic="operate/budgets">Limits on spending</HelpLink>
            </EmptyState>
          ) : (
            <>
              <Totals days={all} />
              <UsageChart days={days} all={all} by={by} what={show} />
              <DayTable days={all} by={by} />
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

/** A day that shows its agent's title. */
function titled(day: DayOfUsage, titleOf: (agent: string) => string): DayOfUsage {
  return day.agent === undefined || day.agent === null
    ? day
    : { ...day, agent: titleOf(day.agent) };
}

/** Words of which one is chosen. */
function Choices<T extends string>({
  label,
  options,
  words = {},
  value,
  onChange,
}: {
  label: string;
  options: readonly T[];
  words?: Readonly<Record<string, string>>;
  value: T;
  onChange: (value: T) => void;
}) {
  return (
    <div role="group" aria-label={label} className="flex flex-wrap items-center gap-0.5">
      <span aria-hidden className="mr-1 text-xs text-muted">
        {label}
      </span>
      {options.map((option) => (
        <Toggle
          key={option}
          label={words[option] ?? option}
          isOn={option === value}
          onChange={() => onChange(option)}
        />
      ))}
    </div>
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
    ['Cost', formatUsd(sum(({ usd }) => usd))],
    ['Tokens', formatShort(sum(({ tokens }) => tokens))],
    ['Turns', formatCount(sum(({ turns }) => turns))],
    ['Failed', formatCount(sum(({ failed }) => failed))],
  ];
  return (
    <dl className="mb-4 grid grid-cols-2 gap-3 sm:grid-cols-4">
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

function DayTable({ days, by }: { days: readonly DayOfUsage[]; by: UsageField }) {
  const title = by.charAt(0).toUpperCase() + by.slice(1);
  return (
    <Table
      label="Usage by day"
      heads={[
        'Day',
        title,
        { title: 'Turns', from: 'sm' },
        { title: 'Failed', from: 'sm' },
        'Tokens',
        'Cost',
      ]}
      cell="px-2 py-2 sm:px-4"
      className="text-sm tabular-nums"
    >
      {days.map((one) => (
        <tr key={`${one.day} ${one[by] ?? ''}`} className="border-t border-line first:border-t-0">
          <th scope="row" className="px-2 py-1.5 font-normal whitespace-nowrap sm:px-4">
            {one.day}
          </th>
          <td
            className="w-full max-w-0 min-w-20 truncate px-2 py-1.5 sm:px-4"
            title={one[by] ?? undefined}
          >
            {one[by] === '' ? '–' : one[by]}
          </td>
          <td className={`${shownFrom.sm} px-4 py-1.5`}>{formatCount(one.turns)}</td>
          <td className={`${shownFrom.sm} px-4 py-1.5`}>
            {one.failed === 0 ? '–' : formatCount(one.failed)}
          </td>
          <td className="px-2 py-1.5 sm:px-4">{formatShort(one.tokens)}</td>
          <td className="px-2 py-1.5 sm:px-4">{formatUsd(one.usd)}</td>
        </tr>
      ))}
    </Table>
  );
}

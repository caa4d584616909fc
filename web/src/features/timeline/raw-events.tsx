import { memo, useMemo, useState } from 'react';
import type { TurnEvent } from '#src/events/turn-event.js';
import { Button } from '../../components/button.js';
import { Toggle } from '../../components/toggle.js';

/** Rows of the first page, and of each "more". */
const ROWS = 200;

/** The events of the log. */
export function RawEvents({
  events,
  startMs,
  isForeign,
}: {
  events: readonly TurnEvent[];
  startMs: number;
  /** The turn is somebody else's: its words are left out. */
  isForeign: boolean;
}) {
  const [filter, setFilter] = useState('');
  const [hasDeltas, setDeltas] = useState(false);
  const [most, setMost] = useState(ROWS);
  const found = useMemo(() => {
    const words = filter.trim().toLowerCase();
    return events.filter(
      (event) =>
        (hasDeltas || !isDelta(event)) &&
        (words === '' || JSON.stringify(event).toLowerCase().includes(words)),
    );
  }, [events, filter, hasDeltas]);
  return (
    <section aria-labelledby="raw-events" className="mt-8">
      <div className="mb-2 flex flex-wrap items-center gap-3">
        <h2 id="raw-events" className="text-sm font-semibold">
          Events
        </h2>
        <span className="flex-1 text-xs text-muted tabular-nums">
          {found.length} of {events.length}
        </span>
        <Toggle label="Deltas" isOn={hasDeltas} onChange={setDeltas} />
        <input
          type="search"
          aria-label="Filter events"
          placeholder="Filter"
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
          className="h-8 w-44 rounded-lg border border-line-strong bg-panel px-2.5 text-sm"
        />
      </div>
      <div className="overflow-hidden rounded-xl border border-line bg-panel">
        <table className="w-full table-fixed text-left text-xs">
          <caption className="sr-only">Events of the turn</caption>
          <thead className="text-muted">
            <tr className="border-b border-line">
              <th scope="col" className="w-20 px-3 py-2 font-medium">
                Time
              </th>
              <th scope="col" className="hidden w-14 py-2 font-medium sm:table-cell">
                No.
              </th>
              <th scope="col" className="py-2 font-medium">
                Event
              </th>
            </tr>
          </thead>
          <tbody>
            {found.slice(0, most).map((event) => (
              <EventRow
                key={`${event.attempt}.${event.seq}`}
                event={event}
                startMs={startMs}
                isForeign={isForeign}
              />
            ))}
          </tbody>
        </table>
      </div>
      {found.length > most && (
        <Button className="mt-3" onClick={() => setMost(most + ROWS * 5)}>
          {found.length - most} more
        </Button>
      )}
    </section>
  );
}

function isDelta(event: TurnEvent): boolean {
  return event.type === 'subagent.told' ? isDelta(event.event) : event.type.endsWith('.delta');
}

const EventRow = memo(function EventRow({
  event,
  startMs,
  isForeign,
}: {
  event: TurnEvent;
  startMs: number;
  isForeign: boolean;
}) {
  const { type, attempt, seq, at, ...facts } = event;
  const name = event.type === 'subagent.told' ? `${type} · ${event.event.type}` : type;
  return (
    <tr className="border-t border-line align-top first:border-t-0">
      <td className="px-3 py-1 text-muted tabular-nums" title={at}>
        +{((Date.parse(at) - startMs) / 1_000).toFixed(3)}
      </td>
      <td className="hidden py-1 text-muted tabular-nums sm:table-cell">
        {attempt > 1 ? `${attempt}.${seq}` : seq}
      </td>
      <td className="py-1 pr-3">
        <details className="group">
          <summary className="flex list-none gap-2 [&::-webkit-details-marker]:hidden">
            <code className="shrink-0 font-mono font-medium">{name}</code>
            <span className="truncate font-mono text-muted group-open:invisible">
              {describeFacts(facts, isForeign)}
            </span>
          </summary>
          <pre className="mt-1 mb-2 rounded-lg bg-sunken p-2.5 font-mono whitespace-pre-wrap [overflow-wrap:anywhere]">
            {JSON.stringify(event, null, 2)}
          </pre>
        </details>
      </td>
    </tr>
  );
});

/** The fields of an event on one line, without ids and empty texts, each shortened. */
function describeFacts(facts: object, areTextsHidden: boolean): string {
  return Object.entries(facts)
    .flatMap(([name, value]: [string, unknown]) => {
      if (value === null || value === undefined || /Ids?$/.test(name)) return [];
      if (value === '') return areTextsHidden ? [`${name} (hidden)`] : [];
      const words = typeof value === 'string' ? value : JSON.stringify(value);
      return [`${name} ${words.length > 60 ? `${words.slice(0, 60)}…` : words}`];
    })
    .join(' · ');
}

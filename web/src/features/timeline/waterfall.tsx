import {
  Bot,
  BrainCircuit,
  Clock,
  Footprints,
  RotateCcw,
  ShieldQuestion,
  Wrench,
  type Icon,
} from '../../components/icons.js';
import { allTokens, formatDuration, formatShort } from '../../components/format.js';
import { Link } from 'wouter';
import type { Bar, BarKind, BarStatus } from './bars.js';
import type { Timeline } from './build-timeline.js';

const pictures: Record<BarKind, Icon> = {
  gap: Clock,
  queue: Clock,
  step: Footprints,
  model: BrainCircuit,
  tool: Wrench,
  approval: ShieldQuestion,
  subagent: Bot,
  recovery: RotateCcw,
};

const colours: Record<BarKind, string> = {
  gap: 'bg-line-strong/25',
  queue: 'bg-line-strong/50',
  step: 'bg-line-strong/40',
  model: 'bg-accent',
  tool: 'bg-good',
  approval: 'bg-amber-line',
  subagent: 'bg-accent/45',
  recovery: 'bg-amber-line',
};

const states: Record<BarStatus, string> = {
  open: 'pulse',
  done: '',
  bad: '!bg-bad',
  discarded:
    'opacity-40 [background-image:repeating-linear-gradient(45deg,transparent_0_4px,var(--panel)_4px_8px)]',
};

const words: Record<BarStatus, string> = {
  open: 'not over',
  done: '',
  bad: 'failed',
  discarded: 'discarded',
};

/** The bars of a turn over time. */
export function Waterfall({ timeline }: { timeline: Timeline }) {
  const { startMs, endMs, bars } = timeline;
  const spanMs = Math.max(1, endMs - startMs);
  return (
    <div className="overflow-hidden rounded-xl border border-line bg-panel">
      <table className="w-full table-fixed text-left text-xs">
        <caption className="sr-only">What the turn did, when, and for how long</caption>
        <thead className="text-muted">
          <tr className="border-b border-line">
            <th scope="col" className="w-[42%] px-3 py-2 font-medium sm:w-56">
              What
            </th>
            <th scope="col" className="w-16 py-2 text-right font-medium">
              Time
            </th>
            <th scope="col" className="hidden w-16 py-2 text-right font-medium sm:table-cell">
              Tokens
            </th>
            <th scope="col" className="px-3 py-2 font-medium">
              <Scale spanMs={spanMs} />
            </th>
          </tr>
        </thead>
        <tbody>
          {bars.map((bar) => (
            <BarRow key={`${bar.depth}-${bar.key}`} bar={bar} startMs={startMs} spanMs={spanMs} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Scale({ spanMs }: { spanMs: number }) {
  const marks = [0, 0.25, 0.5, 0.75, 1];
  return (
    <span className="relative block h-4 tabular-nums">
      {marks.map((mark) => (
        <span
          key={mark}
          className={`absolute whitespace-nowrap ${mark === 0.25 || mark === 0.75 ? 'hidden lg:inline' : ''} ${mark === 0.5 ? 'hidden sm:inline' : ''}`}
          style={{ left: `${mark * 100}%`, transform: `translateX(${-mark * 100}%)` }}
        >
          {mark === 0 ? '0' : formatDuration(spanMs * mark)}
        </span>
      ))}
    </span>
  );
}

function BarRow({ bar, startMs, spanMs }: { bar: Bar; startMs: number; spanMs: number }) {
  const { kind, depth, label, status, usage, turnId } = bar;
  const Picture = pictures[kind];
  const left = Math.min(100, Math.max(0, ((bar.startMs - startMs) * 100) / spanMs));
  const width = Math.min(100 - left, Math.max(0, ((bar.endMs - bar.startMs) * 100) / spanMs));
  const isStep = kind === 'step';
  return (
    <tr className={`border-t border-line first:border-t-0 ${isStep ? 'bg-sunken/60' : ''}`}>
      <th scope="row" className={`truncate px-3 py-1 ${isStep ? 'font-semibold' : 'font-normal'}`}>
        <span className="flex items-center gap-1.5" style={{ paddingLeft: `${depth * 0.75}rem` }}>
          <Picture aria-hidden size={13} className="shrink-0 text-muted" />
          {turnId === undefined ? (
            <span className="truncate">{label}</span>
          ) : (
            <Link href={`/turns/${turnId}`} className="truncate text-accent-ink underline">
              {label}
            </Link>
          )}
          {words[status] !== '' && (
            <span className={status === 'bad' ? 'shrink-0 text-bad' : 'sr-only'}>
              <span className="sr-only">, </span>
              {words[status]}
            </span>
          )}
        </span>
      </th>
      <td className="py-1 text-right whitespace-nowrap text-soft tabular-nums">
        {formatDuration(bar.endMs - bar.startMs)}
      </td>
      <td className="hidden py-1 text-right text-soft tabular-nums sm:table-cell">
        {usage === undefined || isStep ? '' : formatShort(allTokens(usage))}
      </td>
      <td className="px-3 py-1">
        <span aria-hidden className="relative block h-3.5">
          <span
            className={`absolute inset-y-0 min-w-0.5 rounded-sm ${isStep ? 'top-1.5! bottom-1.5! rounded-full!' : ''} ${colours[kind]} ${states[status]}`}
            style={{ left: `${left}%`, width: `${width}%` }}
          />
        </span>
      </td>
    </tr>
  );
}

import {
  ChartNoAxesGantt,
  CircleAlert,
  CircleCheck,
  CircleSlash,
  ShieldQuestion,
  TriangleAlert,
} from '../../../components/icons.js';
import type { ReactNode } from 'react';
import { allTokens, formatDuration, formatShort } from '../../../components/format.js';
import { Link } from 'wouter';
import { Spinner } from '../../../components/spinner.js';
import type { TurnView } from '../conversation/turn-view.js';

/**
 * Whether the status is shown below the conversation rather than below the turn, where each new line of
 * the reply would push it down. Pure.
 */
export function isLive({ phase }: TurnView): boolean {
  return phase === 'running' || phase === 'stalled' || phase === 'recovering' || phase === 'parked';
}

/** The status of a turn, in one line. */
export function TurnStatus({ view }: { view: TurnView }) {
  const [picture, words] = statusOf(view);
  const { usage, durationMs, turnId, phase } = view;
  const tokens = usage === undefined ? 0 : allTokens(usage);
  return (
    <footer className="flex min-h-6 flex-wrap items-center gap-x-3 text-xs text-muted tabular-nums">
      <span className="flex items-center gap-1.5">
        {picture}
        {words}
      </span>
      {tokens > 0 && (
        <span title="Tokens of all model calls of this turn">
          {formatShort(tokens)} tokens used
        </span>
      )}
      {durationMs !== undefined && <span>{formatDuration(durationMs)}</span>}
      {phase !== 'sending' && (
        <Link
          href={`/turns/${turnId}`}
          className="inline-flex items-center gap-1 hover:text-ink hover:underline"
        >
          <ChartNoAxesGantt aria-hidden size={13} /> Timeline
        </Link>
      )}
    </footer>
  );
}

function statusOf(view: TurnView): [ReactNode, string] {
  switch (view.phase) {
    case 'sending':
      return [<Spinner key="p" size={13} />, 'Sending…'];
    case 'queued':
      return [<Spinner key="p" size={13} />, queueWords(view.position)];
    case 'running':
      return [<Spinner key="p" size={13} />, view.step > 1 ? `Step ${view.step}` : 'Working'];
    case 'stalled':
      return [
        <Spinner key="p" size={13} />,
        'The worker does not answer. If it stays silent, another one takes over',
      ];
    case 'recovering':
      return [
        <Spinner key="p" size={13} />,
        'Recovering: a worker stopped, another one continues from the last step',
      ];
    case 'parked':
      return [
        <ShieldQuestion key="p" aria-hidden size={13} className="text-amber" />,
        'Waiting for your answer',
      ];
    case 'ended':
      return endOf(view);
  }
}

function queueWords(position: number | undefined): string {
  if (position === undefined) return 'Queued';
  return position <= 1 ? 'Next in the queue' : `Queue position ${position}`;
}

function endOf({ outcome, reason = '' }: TurnView): [ReactNode, string] {
  switch (outcome ?? 'unknown') {
    case 'unknown':
      return [<CircleSlash key="p" aria-hidden size={13} />, 'Ended early'];
    case 'completed':
      return [<CircleCheck key="p" aria-hidden size={13} className="text-good" />, 'Done'];
    case 'limited':
      return [
        <TriangleAlert key="p" aria-hidden size={13} className="text-amber" />,
        `Stopped by a limit: ${reason.replaceAll('_', ' ')}`,
      ];
    case 'interrupted':
      return [<CircleSlash key="p" aria-hidden size={13} />, 'Stopped'];
    case 'failed':
      return [<CircleAlert key="p" aria-hidden size={13} className="text-bad" />, 'Failed'];
  }
}

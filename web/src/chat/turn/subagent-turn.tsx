import { Bot, ChevronRight } from '../../ui/icons/icons.js';
import type { ReactNode } from 'react';
import { allTokens } from '../../app/all-tokens.js';
import { Link } from '../../app/link.js';
import { Spinner } from '../../ui/spinner.js';
import { formatShort } from '../../ui/format.js';
import type { TurnView } from '../conversation/turn-view.js';

/** A subagent's turn, in the card of the call that started it. */
export function SubagentTurn({ view, children }: { view: TurnView; children: ReactNode }) {
  const { agent = 'Subagent', phase, usage, turnId } = view;
  return (
    <details open={phase !== 'ended'} className="group/sub border-t border-line bg-canvas">
      <summary className="flex list-none items-center gap-2 px-3 py-1.5 text-xs text-soft [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          size={13}
          className="text-muted transition-transform group-open/sub:rotate-90"
        />
        <Bot aria-hidden size={14} className="text-muted" />
        <span className="font-medium">{agent}</span>
        <span className="text-muted">{phaseWords(view)}</span>
        {phase === 'running' && <Spinner size={12} />}
        <span className="flex-1" />
        {usage !== undefined && (
          <span className="text-muted tabular-nums">{formatShort(allTokens(usage))} tokens</span>
        )}
        <Link href={`/turns/${turnId}`} className="text-accent-ink underline underline-offset-2">
          Timeline
        </Link>
      </summary>
      <div className="border-l-2 border-accent-wash px-3 pb-2 text-sm">{children}</div>
    </details>
  );
}

function phaseWords({ phase, outcome, step }: TurnView): string {
  switch (phase) {
    case 'sending':
    case 'queued':
      return 'queued';
    case 'running':
      return step > 0 ? `step ${step}` : 'working';
    case 'recovering':
      return 'recovering';
    case 'parked':
      return 'waiting for your approval';
    case 'ended':
      return outcome ?? 'ended';
  }
}

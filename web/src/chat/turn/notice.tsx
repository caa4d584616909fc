import { TriangleAlert } from '../../ui/icons/icons.js';
import type { ReactNode } from 'react';
import { formatCount } from '../../ui/format.js';
import type { NoticeItem } from '../conversation/turn-view.js';

/** A notice of the server. */
export function Notice({ text, detail }: { text: ReactNode; detail?: string | undefined }) {
  return (
    <aside
      aria-label="Notice"
      className="my-3 rounded-r-lg border-l-4 border-amber-line bg-amber-wash px-3 py-2 text-sm text-amber"
    >
      <p className="flex items-start gap-2">
        <TriangleAlert aria-hidden size={16} className="mt-0.5 shrink-0" />
        <span className="min-w-0 whitespace-pre-wrap">{text}</span>
      </p>
      {detail !== undefined && <p className="mt-0.5 pl-6 text-xs tabular-nums">{detail}</p>}
    </aside>
  );
}

export function NoticeOf({ item }: { item: NoticeItem }) {
  return <Notice text={item.text} detail={describeLimit(item.metadata)} />;
}

/** The numbers of a notice about a limit, such as `iteration: 7/10`. */
function describeLimit(metadata: Record<string, unknown> | undefined): string | undefined {
  const { limit_type: type, current_value: current, limit_value: limit } = metadata ?? {};
  if (typeof type !== 'string' || typeof current !== 'number' || typeof limit !== 'number') {
    return undefined;
  }
  return `${type}: ${formatCount(current)}/${formatCount(limit)}`;
}

import { ChevronRight, TriangleAlert } from '../../ui/icons/icons.js';
import type { ReactNode } from 'react';
import type { NoticeItem } from '../conversation/turn-view.js';
import { describeNotice } from './describe-notice.js';

/** A notice of the server. */
export function Notice({ text }: { text: ReactNode }) {
  return (
    <aside
      aria-label="Notice"
      className="my-3 rounded-r-lg border-l-4 border-amber-line bg-amber-wash px-3 py-2 text-sm text-amber"
    >
      <p className="flex items-start gap-2">
        <TriangleAlert aria-hidden size={16} className="mt-0.5 shrink-0" />
        <span className="min-w-0 whitespace-pre-wrap">{text}</span>
      </p>
    </aside>
  );
}

/** A notice to people as it is; one to the model in a line, with its words folded. */
export function NoticeOf({ item }: { item: NoticeItem }) {
  const line = describeNotice(item);
  if (line === undefined) return <Notice text={item.text} />;
  return (
    <aside aria-label="Notice" className="my-2 text-sm">
      <details className="group">
        <summary className="-mx-1.5 inline-flex max-w-full list-none items-center gap-1 rounded-md px-1.5 py-0.5 text-muted select-none hover:bg-sunken hover:text-ink [&::-webkit-details-marker]:hidden">
          <ChevronRight
            aria-hidden
            size={14}
            className="shrink-0 transition-transform group-open:rotate-90"
          />
          <span className="min-w-0 [overflow-wrap:anywhere]">{line}</span>
        </summary>
        <p className="mt-1 border-l-2 border-line pl-3 whitespace-pre-wrap text-muted [overflow-wrap:anywhere]">
          {item.text}
        </p>
      </details>
    </aside>
  );
}

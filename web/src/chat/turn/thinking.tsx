import { ChevronRight } from '../../ui/icons.js';
import { memo } from 'react';
import type { ThinkingItem } from '../conversation/turn-view.js';

/** What the model thought, folded. */
export const Thinking = memo(function Thinking({ item }: { item: ThinkingItem }) {
  return (
    <details className="group my-2 text-sm">
      <summary className="-mx-1.5 inline-flex list-none items-center gap-1 rounded-md px-1.5 py-0.5 text-muted select-none hover:bg-sunken hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden size={14} className="transition-transform group-open:rotate-90" />
        {item.isOpen ? <span className="pulse">Thinking …</span> : <span>Thinking</span>}
      </summary>
      <p className="mt-1 border-l-2 border-line pl-3 whitespace-pre-wrap text-muted">{item.text}</p>
    </details>
  );
});

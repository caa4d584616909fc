import { Braces } from '../../ui/icons/icons.js';
import type { TurnOutput } from '../conversation/turn-view.js';
import { MarkdownText } from './markdown.js';

/** The object of a turn, as JSON. */
export function OutputObject({ output: { value, isFinal } }: { output: TurnOutput }) {
  // No line of JSON begins with a fence.
  const text = `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
  return (
    <section aria-label="Object" aria-busy={!isFinal} className="my-3">
      <h3 className="mb-1.5 flex items-center gap-1.5 text-xs font-semibold tracking-wide text-muted uppercase">
        <Braces aria-hidden size={13} /> Object
        {!isFinal && <span className="pulse font-normal tracking-normal normal-case">so far</span>}
      </h3>
      <MarkdownText text={text} isOpen={!isFinal} />
    </section>
  );
}

import { memo } from 'react';
import { CopyButton } from './copy-button.js';

/** Plain text of a tool, in a scrolling box. */
export const OutputText = memo(function OutputText({
  text,
  label,
  isBad = false,
}: {
  text: string;
  label: string;
  isBad?: boolean;
}) {
  if (text === '') return <p className="text-xs text-muted italic">Empty</p>;
  return (
    <div className="group relative">
      <pre
        tabIndex={0}
        aria-label={label}
        className={`max-h-80 overflow-auto rounded-lg bg-sunken p-2.5 font-mono text-xs leading-5 whitespace-pre-wrap [overflow-wrap:anywhere] ${isBad ? 'text-bad' : ''}`}
      >
        {text}
      </pre>
      <CopyButton
        text={() => text}
        className="absolute! top-1.5 right-1.5 size-7! border-line! bg-panel"
      />
    </div>
  );
});

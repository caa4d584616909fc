import { memo, useMemo } from 'react';
import type { FileChange } from '../features/chat/turn/describe-call.js';
import { diffLines, type DiffLine } from './diff-lines.js';

const looks: Record<DiffLine['kind'], string> = {
  same: '',
  added: 'bg-good-wash text-good',
  removed: 'bg-bad-wash text-bad',
};

const signs: Record<DiffLine['kind'], string> = { same: ' ', added: '+', removed: '−' };

/** The change of a file as a diff. */
export const DiffView = memo(function DiffView({ path, before, after }: FileChange) {
  const lines = useMemo(() => diffLines(before, after), [before, after]);
  return (
    <figure className="overflow-hidden rounded-lg border border-line bg-panel">
      <figcaption className="flex justify-between gap-3 border-b border-line px-3 py-1 font-mono text-xs text-muted">
        <span className="truncate">{path}</span>
        <span className="shrink-0 tabular-nums">
          <span className="text-good">+{count(lines, 'added')}</span>{' '}
          <span className="text-bad">−{count(lines, 'removed')}</span>
        </span>
      </figcaption>
      <div
        role="group"
        aria-label={`Changes of ${path}`}
        tabIndex={0}
        className="max-h-80 overflow-auto font-mono text-xs leading-5"
      >
        <div className="py-1">
          {lines.map(({ kind, text }, index) => (
            <div key={index} className={`flex px-3 ${looks[kind]}`}>
              <span className="w-4 shrink-0 select-none">{signs[kind]}</span>
              <span className="min-w-0 flex-1 whitespace-pre-wrap [overflow-wrap:anywhere]">
                {text}
              </span>
            </div>
          ))}
        </div>
      </div>
    </figure>
  );
});

function count(lines: readonly DiffLine[], kind: DiffLine['kind']): number {
  return lines.filter((line) => line.kind === kind).length;
}

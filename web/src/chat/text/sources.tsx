import { BookOpen, FileText, Globe } from '../../ui/icons/icons.js';
import { memo } from 'react';
import type { Source } from '../../../../src/events/turn-event.js';
import { Tooltip } from '../../ui/tooltip.js';

/** The sources of a reply, without duplicates. */
export const Sources = memo(function Sources({ sources }: { sources: readonly Source[] }) {
  const shown = distinct(sources);
  if (shown.length === 0) return null;
  return (
    <section aria-label="Sources" className="my-3">
      <h3 className="mb-1.5 flex items-center gap-1.5 text-xs font-semibold tracking-wide text-muted uppercase">
        <BookOpen aria-hidden size={13} /> Sources
      </h3>
      <ul className="flex flex-wrap gap-1.5">
        {shown.map((source, index) => (
          <li key={keyOf(source)} className="max-w-full">
            <OneSource source={source} number={index + 1} />
          </li>
        ))}
      </ul>
    </section>
  );
});

const chip =
  'inline-flex max-w-full items-center gap-1.5 rounded-md border border-line bg-panel px-2 py-1 text-xs text-soft';

function OneSource({ source, number }: { source: Source; number: number }) {
  const place = describeLocation(source);
  const Picture = source.url === undefined ? FileText : Globe;
  const words = (
    <>
      <span className="text-muted tabular-nums">{number}</span>
      <Picture aria-hidden size={13} className="shrink-0" />
      <span className="truncate">{source.title}</span>
      {place !== '' && <span className="shrink-0 text-muted">{place}</span>}
    </>
  );
  const isLink = source.url !== undefined && /^https?:/.test(source.url);
  return (
    <Tooltip text={source.citedText ?? source.url ?? source.title}>
      {isLink ? (
        <a
          href={source.url}
          target="_blank"
          rel="noreferrer noopener"
          className={`${chip} hover:text-ink`}
        >
          {words}
        </a>
      ) : (
        <button type="button" className={chip}>
          {words}
        </button>
      )}
    </Tooltip>
  );
}

function describeLocation({ location }: Source): string {
  if (location === undefined) return '';
  if (location.unit === 'page') return `p. ${location.start}`;
  return `${location.start}–${location.end}`;
}

function distinct(sources: readonly Source[]): Source[] {
  return [...new Map(sources.map((source) => [keyOf(source), source])).values()];
}

function keyOf({ title, url, citedText, location }: Source): string {
  return JSON.stringify([title, url, citedText, location]);
}

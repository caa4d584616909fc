import { createContext, memo, useContext, type ReactNode } from 'react';
import * as Popover from '@radix-ui/react-popover';
import type { Source } from '#src/events/turn-event.js';
import { distinctSources, keyOfSource } from '../conversation/cite-text.js';
import { BookOpen, ExternalLink, FileText, Globe } from '../../../components/icons.js';

/** The sources that the marks of a text refer to, by their number. */
const CitedContext = createContext<readonly Source[]>([]);

/** Texts below have marks of these sources. */
export function Cited({ sources, children }: { sources: readonly Source[]; children: ReactNode }) {
  return <CitedContext value={distinctSources(sources)}>{children}</CitedContext>;
}

/** The sources of a reply, without duplicates. */
export const Sources = memo(function Sources({ sources }: { sources: readonly Source[] }) {
  const shown = distinctSources(sources);
  if (shown.length === 0) return null;
  return (
    <section aria-label="Sources" className="my-3">
      <h3 className="mb-1.5 flex items-center gap-1.5 text-xs font-semibold tracking-wide text-muted uppercase">
        <BookOpen aria-hidden size={13} /> Sources
      </h3>
      <ul className="flex flex-wrap gap-1.5">
        {shown.map((source, index) => (
          <li key={keyOfSource(source)} className="max-w-full">
            <Passage source={source}>
              <button
                type="button"
                className="inline-flex max-w-full items-center gap-1.5 rounded-md border border-line bg-panel px-2 py-1 text-xs text-soft hover:bg-sunken hover:text-ink"
              >
                <SourceWords source={source} number={index + 1} />
              </button>
            </Passage>
          </li>
        ))}
      </ul>
    </section>
  );
});

/** The mark of a citation in a text, which opens its passage. @param number from 1. */
export function CiteMark({ number }: { number: number }) {
  const source = useContext(CitedContext)[number - 1];
  if (source === undefined) return null;
  return (
    <sup>
      <Passage source={source}>
        <button
          type="button"
          aria-label={`Source ${number}: ${source.title}`}
          className="rounded px-0.5 text-[0.7rem] leading-none font-medium text-accent-ink hover:underline"
        >
          [{number}]
        </button>
      </Passage>
    </sup>
  );
}

/** A popover with the cited passage, and where it is from. */
function Passage({ source, children }: { source: Source; children: ReactNode }) {
  const { title, url, citedText } = source;
  const place = describeLocation(source);
  const isLink = url !== undefined && /^https?:/.test(url);
  return (
    <Popover.Root>
      <Popover.Trigger asChild>{children}</Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          sideOffset={6}
          collisionPadding={8}
          aria-label={`Source: ${title}`}
          className="z-50 w-96 max-w-[calc(100vw-1rem)] rounded-xl border border-line bg-panel p-3 text-sm text-ink shadow-lg"
        >
          <p className="font-medium [overflow-wrap:anywhere]">{title}</p>
          {place !== '' && <p className="text-xs text-muted">{place}</p>}
          {citedText !== undefined && (
            <blockquote
              // A long passage scrolls: by keyboard too.
              // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
              tabIndex={0}
              className="mt-2 max-h-60 overflow-y-auto border-l-2 border-line pl-2 text-xs whitespace-pre-wrap text-soft"
            >
              {citedText}
            </blockquote>
          )}
          {isLink && (
            <a
              href={url}
              target="_blank"
              rel="noreferrer noopener"
              className="mt-2 inline-flex items-center gap-1 text-xs text-accent-ink underline [overflow-wrap:anywhere]"
            >
              <ExternalLink aria-hidden size={12} /> {url}
            </a>
          )}
          {citedText === undefined && !isLink && (
            <p className="mt-1 text-xs text-muted">The model quoted no passage.</p>
          )}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function SourceWords({ source, number }: { source: Source; number: number }) {
  const Picture = source.url === undefined ? FileText : Globe;
  const place = describeLocation(source);
  return (
    <>
      <span className="text-muted tabular-nums">{number}</span>
      <Picture aria-hidden size={13} className="shrink-0" />
      <span className="truncate">{source.title}</span>
      {place !== '' && <span className="shrink-0 text-muted">{place}</span>}
    </>
  );
}

const units = { page: 'page', char: 'characters', block: 'part' } as const;

function describeLocation({ location }: Source): string {
  if (location === undefined) return '';
  const { unit, start, end } = location;
  return start === end || unit === 'page'
    ? `${units[unit]} ${start}`
    : `${units[unit]} ${start}–${end}`;
}

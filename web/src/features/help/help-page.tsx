import { use, useState, type MouseEvent } from 'react';
import { useQuery } from '@tanstack/react-query';
import { findPages } from './find-pages.js';
import { MarkdownText } from '../chat/text/markdown.js';
import { Link } from 'wouter';
import { navigate } from '../../app/navigation.js';
import { Page } from '../../components/page.js';

/** A page of the manual. */
export function HelpPage({ topic }: { topic: string }) {
  const name = topic === '' ? 'README' : topic;
  return <Topic key={name} name={name} />;
}

function Topic({ name }: { name: string }) {
  const text = use(loadTopic(name));
  if (text === undefined) {
    return (
      <Page title="Page not found">
        <p className="text-sm text-muted">
          The manual has no page {name}.{' '}
          <Link href="/help" className="text-accent-ink underline">
            Its contents
          </Link>
        </p>
      </Page>
    );
  }
  const follow = (event: MouseEvent<HTMLDivElement>): void => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const to = resolveTopic(name, link?.getAttribute('href') ?? '');
    if (to === undefined || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    navigate(to === 'README' ? '/help' : `/help/${to}`);
  };
  return (
    <Page
      title={titleOf(text)}
      lead={
        <>
          <Link href="/help" className="text-accent-ink underline">
            Help
          </Link>{' '}
          ·{' '}
          <a href="/docs" className="text-accent-ink underline">
            API reference
          </a>
        </>
      }
    >
      <Search />
      {/* Clicks on its links, which keyboards make too. */}
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions, jsx-a11y/click-events-have-key-events */}
      <div onClick={follow} className="max-w-3xl">
        <MarkdownText text={text.replace(/^# .*\n+/, '')} isOpen={false} />
      </div>
    </Page>
  );
}

function titleOf(text: string): string {
  return /^# (.*)/.exec(text)?.[1] ?? 'Help';
}

/** Finds pages by their words; all pages are loaded with the first letter. */
function Search() {
  const [words, setWords] = useState('');
  const wanted = words.trim();
  const all = useQuery({
    queryKey: ['help', 'pages'],
    queryFn: loadAll,
    enabled: wanted !== '',
    staleTime: Infinity,
  });
  const found = all.data === undefined ? undefined : findPages(all.data, wanted);
  return (
    <div className="mb-5 max-w-3xl">
      <input
        type="search"
        aria-label="Search the manual"
        placeholder="Search the manual"
        value={words}
        onChange={({ target }) => setWords(target.value)}
        className="h-9 w-full rounded-lg border border-line-strong bg-panel px-3 text-sm"
      />
      {wanted !== '' && found !== undefined && (
        <ul
          aria-label="Pages found"
          className="mt-2 divide-y divide-line rounded-lg border border-line bg-panel"
        >
          {found.length === 0 && (
            <li className="px-3 py-2 text-sm text-muted">No page has all of these words.</li>
          )}
          {found.map(({ name, title, line }) => (
            <li key={name}>
              <Link
                href={name === 'README' ? '/help' : `/help/${name}`}
                className="block px-3 py-2 text-sm hover:bg-sunken"
              >
                <span className="font-medium text-accent-ink">{title}</span>
                <span className="block truncate text-xs text-muted">{line}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Every page by its name. */
async function loadAll(): Promise<ReadonlyMap<string, string>> {
  const names = Object.keys(pages).map((path) => path.replace(/^.*\/docs\/(.*)\.md$/, '$1'));
  const texts = await Promise.all(names.map((name) => loadTopic(name)));
  return new Map(names.map((name, index) => [name, texts[index] ?? '']));
}

/** The pages of the manual, each loaded when it is opened. */
const pages = import.meta.glob<string>(
  ['../../../../docs/*.md', '../../../../docs/{guide,how-to,operate,reference,wires}/*.md'],
  {
    query: '?raw',
    import: 'default',
  },
);

const loaded = new Map<string, Promise<string | undefined>>();

/** Loads a page, as `guide/models`. @returns undefined where there is none. */
export function loadTopic(name: string): Promise<string | undefined> {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const load = pages[`../../../../docs/${name}.md`];
  const text = load === undefined ? Promise.resolve(undefined) : load();
  loaded.set(name, text);
  return text;
}

/** The page that a link of another one leads to; undefined for any other link. Pure. */
export function resolveTopic(from: string, href: string): string | undefined {
  const place = new URL(href, `https://manual/${from}`);
  const name = /^\/(.+)\.md$/.exec(place.pathname)?.[1];
  if (place.host !== 'manual' || name === undefined) return undefined;
  return `../../../../docs/${name}.md` in pages ? name : undefined;
}

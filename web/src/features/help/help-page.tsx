import { use, type MouseEvent } from 'react';
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
      title="Help"
      lead={
        <>
          <Link href="/help" className="text-accent-ink underline">
            Contents
          </Link>{' '}
          ·{' '}
          <a href="/docs" className="text-accent-ink underline">
            API reference
          </a>
        </>
      }
    >
      {/* Clicks on its links, which keyboards make too. */}
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions, jsx-a11y/click-events-have-key-events */}
      <div onClick={follow} className="max-w-3xl">
        <MarkdownText text={text} isOpen={false} />
      </div>
    </Page>
  );
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

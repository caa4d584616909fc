import { use, type MouseEvent } from 'react';
import { MarkdownText } from '../chat/text/markdown.js';
import { Link } from '../app/link.js';
import { navigate } from '../app/navigation.js';
import { Page } from '../app/page.js';
import { loadTopic, resolveTopic } from './topics.js';

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

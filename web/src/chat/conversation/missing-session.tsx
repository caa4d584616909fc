import { Link } from '../../app/link.js';
import { Page } from '../../app/page.js';

/** In place of a conversation that is not there, or not any more. */
export function MissingSession() {
  return (
    <Page title="There is no such session">
      <p className="text-sm text-muted">
        It was deleted, or belongs to another API key.{' '}
        <Link href="/" className="text-accent-ink underline">
          Start a session
        </Link>
        , or choose one from the list.
      </p>
    </Page>
  );
}

import type { ReactNode } from 'react';
import { Link } from './link.js';

/** A page beside the chat: a title and a column. */
export function Page({
  title,
  lead,
  actions,
  children,
}: {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <main id="main" tabIndex={-1} className="h-full overflow-y-auto outline-none">
      <div className="mx-auto max-w-5xl px-4 pt-6 pb-16 sm:px-8">
        <header className="mb-5 flex flex-wrap items-start justify-between gap-3">
          <div className="min-w-0 flex-1 basis-72">
            <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
            {lead !== undefined && (
              <div className="mt-0.5 text-sm text-pretty text-muted">{lead}</div>
            )}
          </div>
          {actions}
        </header>
        {children}
      </div>
    </main>
  );
}

export function Loading({ what }: { what: string }) {
  return <p className="pulse py-6 text-sm text-muted">Loading {what}…</p>;
}

/** What stands where a list has nothing: what would be here, and how to get it. */
export function Nothing({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="rounded-xl border border-dashed border-line px-4 py-8 text-center text-sm text-muted">
      <p className="font-medium text-ink">{title}</p>
      {children !== undefined && (
        <p className="mx-auto mt-1 max-w-prose text-balance">{children}</p>
      )}
    </div>
  );
}

/** A link to a page of the manual. */
export function HelpLink({ topic, children }: { topic: string; children: ReactNode }) {
  return (
    <Link href={`/help/${topic}`} className="text-accent-ink underline">
      {children}
    </Link>
  );
}

import { useId, type ReactNode } from 'react';
import { FaultNote } from './fault-note.js';
import { Link } from 'wouter';
import { ConnectionLostError } from '#src/client/transport/client-errors.js';

/** A page other than the chat: a title and one column. */
export function Page({
  title,
  lead,
  actions,
  isWide = false,
  children,
}: {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  /** For a table of many columns. */
  isWide?: boolean;
  children: ReactNode;
}) {
  return (
    <main id="main" tabIndex={-1} className="h-full overflow-y-auto outline-none">
      <div className={`mx-auto px-4 pt-6 pb-16 sm:px-8 ${isWide ? 'max-w-7xl' : 'max-w-5xl'}`}>
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

/** A part of a page under a heading. */
export function Section({
  title,
  className = 'mt-8',
  children,
}: {
  title: ReactNode;
  className?: string;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={className}>
      <h2 id={id} className="mb-2 text-sm font-semibold">
        {title}
      </h2>
      {children}
    </section>
  );
}

/** A query, as far as a part of a page shows it. */
export interface Loadable<T> {
  data: T | undefined;
  error: unknown;
  refetch: () => unknown;
}

/** Why a query failed. If the connection is lost while data is on the screen, the bar above says enough. */
export function LoadFault({ of: { data, error, refetch } }: { of: Loadable<unknown> }) {
  if (error === null) return null;
  if (data !== undefined && error instanceof ConnectionLostError) return null;
  return <FaultNote fault={error} onRetry={() => void refetch()} />;
}

/** Shows a value once it is loaded, and the fault if it could not be loaded. */
export function Loaded<T>({
  from,
  what,
  children,
}: {
  from: Loadable<T>;
  /** What is loaded, in words. */
  what: string;
  children: (value: T) => ReactNode;
}) {
  return (
    <>
      <LoadFault of={from} />
      {from.data === undefined && from.error === null && <Loading what={what} />}
      {from.data !== undefined && children(from.data)}
    </>
  );
}

/** The entries of a list once they are loaded. */
export function LoadedList<T>({
  from,
  what,
  nothing,
  look = 'cards',
  children,
}: {
  from: Loadable<readonly T[]>;
  what: string;
  /** Shown for an empty list. */
  nothing: ReactNode;
  look?: 'cards' | 'rows';
  children: (one: T) => ReactNode;
}) {
  return (
    <Loaded from={from} what={what}>
      {(all) =>
        all.length === 0 ? (
          nothing
        ) : (
          <ul className={look === 'cards' ? 'space-y-3' : 'divide-y divide-line text-sm'}>
            {all.map(children)}
          </ul>
        )
      }
    </Loaded>
  );
}

export function Loading({ what }: { what: string }) {
  return <p className="pulse py-6 text-sm text-muted">Loading {what}…</p>;
}

/** Shown in place of an empty list: what would be here, and how to get it. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
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

import type { ReactNode } from 'react';

/** A page beside the chat: a title and a column. */
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
  isWide?: boolean;
  children: ReactNode;
}) {
  return (
    <main id="main" tabIndex={-1} className="h-full overflow-y-auto outline-none">
      <div className={`mx-auto px-4 pt-6 pb-16 sm:px-8 ${isWide ? 'max-w-6xl' : 'max-w-3xl'}`}>
        <header className="mb-5 flex flex-wrap items-start justify-between gap-3">
          <div className="min-w-0 flex-1 basis-72">
            <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
            {lead !== undefined && <div className="mt-0.5 text-sm text-muted">{lead}</div>}
          </div>
          {actions}
        </header>
        {children}
      </div>
    </main>
  );
}

export function Loading({ what }: { what: string }) {
  return <p className="pulse py-6 text-sm text-muted">Loading {what} …</p>;
}

export function Nothing({ children }: { children: ReactNode }) {
  return (
    <p className="rounded-xl border border-dashed border-line px-4 py-8 text-center text-sm text-muted">
      {children}
    </p>
  );
}

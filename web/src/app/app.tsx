import { Menu } from '../ui/icons/icons.js';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { ApprovalsPage } from '../approvals/approvals-page.js';
import { ChatPage } from '../chat/chat-page.js';
import { NewSessionPage } from '../chat/composer/new-session-page.js';
import { IconButton } from '../ui/button.js';
import { TooltipProvider } from '../ui/tooltip.js';
import { LiveRegion } from './announce.js';
import { ErrorBoundary } from './error-boundary.js';
import { KeyDialog } from './key-dialog.js';
import { Link } from './link.js';
import { currentRoute } from './navigation.js';
import { Loading, Page } from './page.js';
import type { Route } from './route.js';
import { Shortcuts } from './shortcuts.js';
import { Sidebar } from './sidebar.js';
import { useValue } from './use-value.js';

const TimelinePage = lazy(() =>
  import('../timeline/timeline-page.js').then(({ TimelinePage }) => ({ default: TimelinePage })),
);
const ComparePage = lazy(() =>
  import('../replay/compare-page.js').then(({ ComparePage }) => ({ default: ComparePage })),
);
const SettingsPage = lazy(() =>
  import('../settings/settings-page.js').then(({ SettingsPage }) => ({ default: SettingsPage })),
);
const AgentsPage = lazy(() =>
  import('../agents/agents-page.js').then(({ AgentsPage }) => ({ default: AgentsPage })),
);
const QueuePage = lazy(() =>
  import('../queue/queue-page.js').then(({ QueuePage }) => ({ default: QueuePage })),
);
const MemoryPage = lazy(() =>
  import('../memory/memory-page.js').then(({ MemoryPage }) => ({ default: MemoryPage })),
);
const SchedulesPage = lazy(() =>
  import('../schedules/schedules-page.js').then(({ SchedulesPage }) => ({
    default: SchedulesPage,
  })),
);
const WebhooksPage = lazy(() =>
  import('../webhooks/webhooks-page.js').then(({ WebhooksPage }) => ({ default: WebhooksPage })),
);

/** The frame of every page, with the sidebar; on narrow screens it is a drawer. */
export function App() {
  const route = useValue(currentRoute);
  return (
    <TooltipProvider delayDuration={300}>
      <a
        href="#main"
        className="sr-only z-50 rounded-lg bg-panel px-3 py-2 focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
      >
        To the content
      </a>
      <div className="flex h-full flex-col md:grid md:grid-cols-[16.5rem_minmax(0,1fr)]">
        <div className="hidden h-full min-h-0 border-r border-line bg-canvas md:block">
          <Sidebar route={route} />
        </div>
        <TopBar route={route} />
        <div className="min-h-0 min-w-0 flex-1">
          <ErrorBoundary key={JSON.stringify(route)}>
            <Suspense fallback={<Page title="">{<Loading what="the page" />}</Page>}>
              <PageOf route={route} />
            </Suspense>
          </ErrorBoundary>
        </div>
      </div>
      <Shortcuts />
      <KeyDialog />
      <LiveRegion />
    </TooltipProvider>
  );
}

const titles: Record<Route['page'], string> = {
  home: 'New session',
  session: 'Session',
  turn: 'Turn',
  compare: 'Compare',
  approvals: 'Approvals',
  agents: 'Agents and tools',
  queue: 'Queue',
  memory: 'Memory',
  schedules: 'Schedules',
  webhooks: 'Webhooks',
  settings: 'Settings',
  unknown: 'Not found',
};

function PageOf({ route }: { route: Route }) {
  useEffect(() => {
    document.title = `${titles[route.page]} · Turnpike`;
  }, [route.page]);
  switch (route.page) {
    case 'home':
      return <NewSessionPage />;
    case 'session':
      return <ChatPage key={route.sessionId} sessionId={route.sessionId} />;
    case 'turn':
      return <TimelinePage key={route.turnId} turnId={route.turnId} />;
    case 'compare':
      return <ComparePage turnId={route.turnId} otherId={route.otherId} />;
    case 'approvals':
      return <ApprovalsPage />;
    case 'agents':
      return <AgentsPage />;
    case 'queue':
      return <QueuePage />;
    case 'memory':
      return <MemoryPage />;
    case 'schedules':
      return <SchedulesPage />;
    case 'webhooks':
      return <WebhooksPage />;
    case 'settings':
      return <SettingsPage />;
    case 'unknown':
      return (
        <Page title="There is no such page">
          <p className="text-sm text-muted">
            Nothing is at {route.path}.{' '}
            <Link href="/" className="text-accent-ink underline">
              Start a session
            </Link>
            , or choose one from the list.
          </p>
        </Page>
      );
  }
}

/** The bar of narrow screens, which opens the sidebar. */
function TopBar({ route }: { route: Route }) {
  const [isOpen, setOpen] = useState(false);
  const drawer = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen) drawer.current?.showModal();
  }, [isOpen]);
  useEffect(() => drawer.current?.close(), [route]);
  return (
    <div className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-2 md:hidden">
      <IconButton label="Sessions and pages" aria-expanded={isOpen} onClick={() => setOpen(true)}>
        <Menu size={18} />
      </IconButton>
      <span className="truncate text-sm font-semibold">{titles[route.page]}</span>
      {isOpen && (
        <dialog
          ref={drawer}
          aria-label="Sessions and pages"
          onClose={() => setOpen(false)}
          onClick={(event) => {
            if (event.target === drawer.current) drawer.current.close();
          }}
          className="m-0 h-full max-h-none w-72 max-w-[85vw] border-r border-line bg-canvas p-0 text-ink"
        >
          <Sidebar route={route} />
        </dialog>
      )}
    </div>
  );
}

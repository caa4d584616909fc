import { Suspense, useEffect, useRef, useState, Component, type ReactNode } from 'react';
import { lazyPart } from '../components/lazy-part.js';
import { Menu } from '../components/icons.js';
import { NewSessionPage } from '../features/chat/composer/new-session-page.js';
import { IconButton } from '../components/button.js';
import { LiveRegion } from './announce.js';
import { noteFault } from '../api/connection.js';
import { ConnectionBar } from './connection-bar.js';
import { DocumentTitle, useOpenQuestions } from './document-title.js';
import { countOf } from '../components/format.js';
import { KeyDialog } from './key-dialog.js';
import { apiKey, keyRequest } from '../api/api-key.js';
import { useValue } from '../hooks/value-store.js';
import { QueryClientProvider } from '@tanstack/react-query';
import { Link, Redirect, Route, Router, Switch, useLocation } from 'wouter';
import { queryClient } from '../api/queries.js';
import { followLink } from './navigation.js';
import markUrl from './mark.svg';
import { Loading, Page } from '../components/page.js';
import { Shortcuts } from './shortcuts.js';
import { Sidebar } from './sidebar.js';
import { isLoadFault } from '../api/describe-fault.js';
import { FaultNote } from '../components/fault-note.js';

/** The first page loads it ahead of time. */
const loadChat = () => import('../features/chat/chat-page.js');
const ChatPage = lazyPart(async () => (await loadChat()).ChatPage);
const ApprovalsPage = lazyPart(
  async () => (await import('../features/approvals/approvals-page.js')).ApprovalsPage,
);
const KeysPage = lazyPart(async () => (await import('../features/keys/keys-page.js')).KeysPage);
const UsagePage = lazyPart(async () => (await import('../features/usage/usage-page.js')).UsagePage);
const HelpPage = lazyPart(async () => (await import('../features/help/help-page.js')).HelpPage);
const TimelinePage = lazyPart(
  async () => (await import('../features/timeline/timeline-page.js')).TimelinePage,
);
const ComparePage = lazyPart(
  async () => (await import('../features/replay/compare-page.js')).ComparePage,
);
const SettingsPage = lazyPart(
  async () => (await import('../features/settings/settings-page.js')).SettingsPage,
);
const AgentsPage = lazyPart(
  async () => (await import('../features/agents/agents-page.js')).AgentsPage,
);
const TurnsPage = lazyPart(async () => (await import('../features/turns/turns-page.js')).TurnsPage);
const MemoryPage = lazyPart(
  async () => (await import('../features/memory/memory-page.js')).MemoryPage,
);
const McpPage = lazyPart(async () => (await import('../features/mcp/mcp-page.js')).McpPage);
const SchedulesPage = lazyPart(
  async () => (await import('../features/schedules/schedules-page.js')).SchedulesPage,
);
const WebhooksPage = lazyPart(
  async () => (await import('../features/webhooks/webhooks-page.js')).WebhooksPage,
);

/** The frame of every page, with the sidebar; on narrow screens it is a drawer. */
export function App() {
  // Who may see nothing sees no application.
  const [why, key] = [useValue(keyRequest), useValue(apiKey)];
  const isLocked = why === 'missing' && key === undefined;
  return (
    <QueryClientProvider client={queryClient}>
      <Router aroundNav={followLink}>
        <a
          href="#main"
          className="sr-only z-50 rounded-lg bg-panel px-3 py-2 focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
        >
          Skip to content
        </a>
        {isLocked ? (
          <LockedPage />
        ) : (
          <div className="flex h-full flex-col md:grid md:grid-cols-[16.5rem_minmax(0,1fr)]">
            <div className="hidden h-full min-h-0 border-r border-line bg-canvas md:block">
              <Sidebar />
            </div>
            <TopBar />
            <div className="flex min-h-0 min-w-0 flex-1 flex-col">
              <ConnectionBar />
              <div className="min-h-0 flex-1">
                <Pages />
              </div>
            </div>
          </div>
        )}
        <Shortcuts />
        <KeyDialog />
        <LiveRegion />
      </Router>
    </QueryClientProvider>
  );
}

function Pages() {
  return (
    <Switch>
      <Route path="/">
        <Screen title="New session">
          <HomePage />
        </Screen>
      </Route>
      <Route path="/sessions/:sessionId">
        {({ sessionId }) => (
          <Screen title="Session">
            <ChatPage sessionId={sessionId} />
          </Screen>
        )}
      </Route>
      <Route path="/turns/:turnId">
        {({ turnId }) => (
          <Screen title="Turn">
            <TimelinePage turnId={turnId} />
          </Screen>
        )}
      </Route>
      <Route path="/turns/:turnId/compare/:otherId">
        {({ turnId, otherId }) => (
          <Screen title="Compare">
            <ComparePage turnId={turnId} otherId={otherId} />
          </Screen>
        )}
      </Route>
      <Route path="/approvals">
        <Screen title="Approvals">
          <ApprovalsPage />
        </Screen>
      </Route>
      <Route path="/agents">
        <Screen title="Agents and tools">
          <AgentsPage />
        </Screen>
      </Route>
      <Route path="/turns">
        <Screen title="Turns">
          <TurnsPage />
        </Screen>
      </Route>
      <Route path="/queue">
        <Redirect to="/turns?of=all&status=unended" replace />
      </Route>
      <Route path="/memory">
        <Screen title="Memory">
          <MemoryPage />
        </Screen>
      </Route>
      <Route path="/mcp-logins">
        <Screen title="MCP log-ins">
          <McpPage />
        </Screen>
      </Route>
      <Route path="/schedules">
        <Screen title="Schedules">
          <SchedulesPage />
        </Screen>
      </Route>
      <Route path="/webhooks">
        <Screen title="Webhooks">
          <WebhooksPage />
        </Screen>
      </Route>
      <Route path="/settings">
        <Screen title="Settings">
          <SettingsPage />
        </Screen>
      </Route>
      <Route path="/keys">
        <Screen title="API keys">
          <KeysPage />
        </Screen>
      </Route>
      <Route path="/usage">
        <Screen title="Usage">
          <UsagePage />
        </Screen>
      </Route>
      <Route path="/help/*?">
        {(params) => (
          <Screen title="Help">
            <HelpPage topic={params['*'] ?? ''} />
          </Screen>
        )}
      </Route>
      <Route>
        <Screen title="Not found">
          <UnknownPage />
        </Screen>
      </Route>
    </Switch>
  );
}

/** A page with the title of its tab. A fault in it leaves the frame and the other pages intact. */
function Screen({ title, children }: { title: string; children: ReactNode }) {
  const [path] = useLocation();
  return (
    <>
      <DocumentTitle page={title} />
      <ErrorBoundary key={path}>
        <Suspense
          fallback={
            <Page title="">
              <Loading what="the page" />
            </Page>
          }
        >
          {children}
        </Suspense>
      </ErrorBoundary>
    </>
  );
}

/** What stands behind the log-in. */
function LockedPage() {
  return (
    <main id="main" className="grid h-full place-items-center content-start gap-3 pt-[12vh]">
      <img src={markUrl} alt="" width={44} height={44} />
      <h1 className="text-xl font-semibold tracking-tight">Turnpike</h1>
    </main>
  );
}

/** The first message opens the chat, whose code is loaded while the message is written. */
function HomePage() {
  useEffect(() => {
    void loadChat().catch(noteFault);
  }, []);
  return <NewSessionPage />;
}

function UnknownPage() {
  const [path] = useLocation();
  return (
    <Page title="Page not found">
      <p className="text-sm text-muted">
        There is no page at {path}.{' '}
        <Link href="/" className="text-accent-ink underline">
          Start a session
        </Link>
        , or choose one from the list.
      </p>
    </Page>
  );
}

/** The bar of narrow screens, which opens the sidebar. */
function TopBar() {
  const [path] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const questions = useOpenQuestions();
  const drawer = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen) drawer.current?.showModal();
  }, [isOpen]);
  useEffect(() => drawer.current?.close(), [path]);
  return (
    <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-2 md:hidden">
      <IconButton label="Sessions and pages" aria-expanded={isOpen} onClick={() => setOpen(true)}>
        <Menu size={18} />
      </IconButton>
      <img src={markUrl} alt="" className="size-5" />
      <span className="truncate text-sm font-semibold">Turnpike</span>
      {questions > 0 && (
        <Link
          href="/approvals"
          className="ml-auto rounded-full bg-amber-wash px-2.5 py-1 text-xs font-medium whitespace-nowrap text-amber"
        >
          {countOf(questions, 'approval')}
        </Link>
      )}
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
          <Sidebar />
        </dialog>
      )}
    </header>
  );
}

/** Shows a fault in place of a page that could not be rendered. */
class ErrorBoundary extends Component<{ children: ReactNode }, { fault: unknown }> {
  override state = { fault: undefined as unknown };

  static getDerivedStateFromError(fault: unknown) {
    return { fault };
  }

  override render(): ReactNode {
    const { fault } = this.state;
    if (fault === undefined) return this.props.children;
    return (
      <main id="main" className="p-4 sm:p-8">
        <FaultNote
          fault={fault}
          onRetry={() =>
            isLoadFault(fault) ? location.reload() : this.setState({ fault: undefined })
          }
        />
      </main>
    );
  }
}

import {
  BookOpen,
  Bot,
  CalendarClock,
  Keyboard,
  ListOrdered,
  Monitor,
  Moon,
  Plus,
  Settings2,
  ShieldQuestion,
  Sun,
  Webhook,
} from '../ui/icons/icons.js';
import type { Icon } from '../ui/icons/draw-icon.js';
import type { ListedSession } from '../../../src/session/view-session.js';
import { usePending } from '../approvals/use-pending.js';
import { IconButton } from '../ui/button.js';
import { formatAgo } from '../ui/format.js';
import { FaultNote } from './fault-note.js';
import { Link } from './link.js';
import markUrl from './mark.svg';
import type { Route } from './route.js';
import { useSessions } from './use-sessions.js';
import { themeChoice, type ThemeChoice } from './theme.js';
import { useNow } from './use-now.js';
import { useValue } from './use-value.js';

/** The links to sessions and pages. */
export function Sidebar({ route }: { route: Route }) {
  const { value: pending } = usePending();
  return (
    <nav aria-label="Console" className="flex h-full min-h-0 flex-col">
      <div className="flex h-12 shrink-0 items-center gap-2 px-3">
        <img src={markUrl} alt="" width={22} height={22} />
        <span className="flex-1 font-semibold tracking-tight">Turnpike</span>
        <ThemeSwitch />
      </div>
      <div className="px-2 pb-2">
        <Link
          href="/"
          aria-current={route.page === 'home' ? 'page' : undefined}
          className="flex h-9 items-center justify-center gap-1.5 rounded-lg border border-line bg-panel text-sm font-medium hover:bg-sunken aria-[current]:border-accent aria-[current]:text-accent-ink"
        >
          <Plus aria-hidden size={16} /> New session
        </Link>
      </div>
      <Sessions openId={route.page === 'session' ? route.sessionId : undefined} />
      <ul className="space-y-0.5 border-t border-line p-2">
        <PageLink
          to="approvals"
          route={route}
          Picture={ShieldQuestion}
          label="Approvals"
          count={pending?.length ?? 0}
        />
        <PageLink to="agents" route={route} Picture={Bot} label="Agents and tools" />
        <PageLink to="queue" route={route} Picture={ListOrdered} label="Queue" />
        <PageLink to="memory" route={route} Picture={BookOpen} label="Memory" />
        <PageLink to="schedules" route={route} Picture={CalendarClock} label="Schedules" />
        <PageLink to="webhooks" route={route} Picture={Webhook} label="Webhooks" />
        <PageLink to="settings" route={route} Picture={Settings2} label="Settings" />
      </ul>
    </nav>
  );
}

const row =
  'flex items-center gap-2 rounded-lg px-2.5 text-sm text-soft hover:bg-sunken hover:text-ink aria-[current]:bg-accent-wash aria-[current]:text-accent-ink aria-[current]:font-medium';

function PageLink({
  to,
  route,
  Picture,
  label,
  count = 0,
}: {
  to: Route['page'];
  route: Route;
  Picture: Icon;
  label: string;
  count?: number;
}) {
  return (
    <li>
      <Link
        href={`/${to}`}
        aria-current={route.page === to ? 'page' : undefined}
        className={`${row} h-8`}
      >
        <Picture aria-hidden size={15} /> <span className="flex-1">{label}</span>
        {count > 0 && (
          <span className="rounded-full bg-amber-wash px-1.5 text-xs font-semibold text-amber tabular-nums">
            {count}
            <span className="sr-only"> open</span>
          </span>
        )}
      </Link>
    </li>
  );
}

function Sessions({ openId }: { openId: string | undefined }) {
  const { value, fault, reload } = useSessions();
  const now = useNow(30_000);
  return (
    <section aria-label="Sessions" className="min-h-0 flex-1 overflow-y-auto px-2 pb-2">
      {fault !== undefined && value === undefined && <FaultNote fault={fault} onRetry={reload} />}
      {value?.length === 0 && <p className="px-2.5 py-2 text-xs text-muted">No sessions yet.</p>}
      <ul className="space-y-0.5">
        {value?.map((session) => (
          <SessionLink
            key={session.sessionId}
            session={session}
            isOpen={session.sessionId === openId}
            now={now}
          />
        ))}
      </ul>
    </section>
  );
}

function SessionLink({
  session,
  isOpen,
  now,
}: {
  session: ListedSession;
  isOpen: boolean;
  now: number;
}) {
  const { sessionId, title, projectRoot, updatedAt, activeTurnId } = session;
  const folder = projectRoot.split('/').at(-1) ?? '';
  return (
    <li>
      <Link
        href={`/sessions/${sessionId}`}
        aria-current={isOpen ? 'page' : undefined}
        className={`${row} py-1.5`}
      >
        <span className="min-w-0 flex-1">
          <span className="block truncate">{title ?? 'New session'}</span>
          <span className="block truncate text-xs font-normal text-muted" title={projectRoot}>
            {folder} · {formatAgo(updatedAt, now)}
          </span>
        </span>
        {activeTurnId !== undefined && (
          <span
            role="img"
            aria-label="Runs"
            title="Runs"
            className="pulse size-2 rounded-full bg-accent"
          />
        )}
      </Link>
    </li>
  );
}

const themes: { choice: ThemeChoice; Picture: Icon; next: ThemeChoice }[] = [
  { choice: 'system', Picture: Monitor, next: 'light' },
  { choice: 'light', Picture: Sun, next: 'dark' },
  { choice: 'dark', Picture: Moon, next: 'system' },
];

function ThemeSwitch() {
  const choice = useValue(themeChoice);
  const theme = themes.find((one) => one.choice === choice) ?? themes[0];
  if (theme === undefined) return null;
  const { Picture, next } = theme;
  return (
    <>
      <IconButton
        label="Keys"
        onClick={() => dispatchEvent(new KeyboardEvent('keydown', { key: '?' }))}
      >
        <Keyboard size={16} />
      </IconButton>
      <IconButton
        label={`Theme: ${choice}. Change to ${next}`}
        onClick={() => themeChoice.set(next)}
      >
        <Picture size={16} />
      </IconButton>
    </>
  );
}

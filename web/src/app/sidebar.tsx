import {
  BookOpen,
  Bot,
  CalendarClock,
  ChartColumn,
  CircleHelp,
  Ellipsis,
  Keyboard,
  KeyRound,
  ListOrdered,
  Plug,
  Monitor,
  Moon,
  Plus,
  Settings2,
  ShieldQuestion,
  Sun,
  Webhook,
  type Icon,
} from '../components/icons.js';
import { useState } from 'react';
import { IconButton } from '../components/button.js';
import { Link, useRoute } from 'wouter';
import markUrl from './mark.svg';
import { PersonBar } from './person-bar.js';
import { rowLook, SessionList } from './session-list.js';
import {
  useAwaitedApprovals,
  useCaller,
  useIsOperator,
  usePendingApprovals,
} from '../api/queries.js';
import { showShortcuts } from './shortcuts.js';
import { themeChoice, type ThemeChoice } from './theme.js';
import { useValue } from '../hooks/value-store.js';

/** The links to sessions and pages. */
export function Sidebar() {
  const [isHome] = useRoute('/');
  const [, session] = useRoute('/sessions/:sessionId');
  const { data: pending = [] } = usePendingApprovals();
  const { data: awaited = [] } = useAwaitedApprovals();
  const caller = useCaller();
  const isOperator = useIsOperator();
  const [isRare] = useRoute(/^\/(memory|schedules|webhooks|mcp-logins|keys)(\/|$)/);
  const [isMoreOpen, setMoreOpen] = useState(isRare);
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
          aria-current={isHome ? 'page' : undefined}
          className="flex h-9 items-center justify-center gap-1.5 rounded-lg border border-line bg-panel text-sm font-medium hover:bg-sunken aria-[current]:border-accent aria-[current]:text-accent-ink"
        >
          <Plus aria-hidden size={16} /> New session
        </Link>
      </div>
      <SessionList openId={session?.sessionId} />
      <ul className="space-y-0.5 border-t border-line p-2">
        <PageLink
          to="approvals"
          Picture={ShieldQuestion}
          label="Approvals"
          count={pending.length + awaited.length}
        />
        <PageLink to="turns" Picture={ListOrdered} label="Turns" />
        <PageLink to="agents" Picture={Bot} label="Agents and tools" />
        <PageLink to="usage" Picture={ChartColumn} label="Usage" />
        <PageLink to="settings" Picture={Settings2} label="Settings" />
        <PageLink to="help" Picture={CircleHelp} label="Help" />
        {isMoreOpen && (
          <>
            <PageLink to="memory" Picture={BookOpen} label="Memory" />
            <PageLink to="schedules" Picture={CalendarClock} label="Schedules" />
            <PageLink to="webhooks" Picture={Webhook} label="Webhooks" />
            <PageLink to="mcp-logins" Picture={Plug} label="MCP log-ins" />
            {caller !== undefined && isOperator && (
              <PageLink to="keys" Picture={KeyRound} label="API keys" />
            )}
          </>
        )}
        <li>
          <button
            type="button"
            aria-expanded={isMoreOpen}
            onClick={() => setMoreOpen(!isMoreOpen)}
            className={`${rowLook} h-7 w-full`}
          >
            <Ellipsis aria-hidden size={15} /> {isMoreOpen ? 'Less' : 'More'}
          </button>
        </li>
      </ul>
      <PersonBar />
    </nav>
  );
}

function PageLink({
  to,
  Picture,
  label,
  count = 0,
}: {
  to: string;
  Picture: Icon;
  label: string;
  count?: number;
}) {
  const [isHere] = useRoute(`/${to}/*?`);
  return (
    <li>
      <Link href={`/${to}`} aria-current={isHere ? 'page' : undefined} className={`${rowLook} h-7`}>
        <Picture aria-hidden size={15} /> <span className="flex-1">{label}</span>
        {count > 0 && (
          <span className="rounded-full bg-amber-wash px-1.5 text-xs font-semibold text-amber tabular-nums">
            {count}
            <span className="sr-only"> waiting</span>
          </span>
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
      <IconButton label="Keyboard shortcuts" onClick={showShortcuts}>
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

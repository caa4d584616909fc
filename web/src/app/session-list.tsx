import { useEffect, useMemo, useRef, useState } from 'react';
import type { ListedSession } from '#src/client/turnpike-client.js';
import { Button, IconButton } from '../components/button.js';
import { formatAgo } from '../components/format.js';
import { CalendarClock, GitFork, Pin as PinIcon } from '../components/icons.js';
import { Link } from 'wouter';
import { useNow } from '../hooks/use-now.js';
import { useValue } from '../hooks/value-store.js';
import { pins, togglePin, type Pin } from './pins.js';
import { groupByDay } from './session-groups.js';
import { usePendingApprovals, useSessions, type SessionKind } from '../api/queries.js';

/** A row that is a link. */
export const rowLook =
  'flex items-center gap-2 rounded-lg px-2.5 text-sm text-soft hover:bg-sunken hover:text-ink aria-[current]:bg-accent-wash aria-[current]:text-accent-ink aria-[current]:font-medium';

/** Milliseconds after the last key until the search begins. */
const DEBOUNCE_MS = 250;

const kinds: { value: SessionKind; words: string }[] = [
  { value: 'chats', words: 'Chats' },
  { value: 'scheduled', words: 'Scheduled' },
  { value: 'all', words: 'All' },
];

/** The sessions of the sidebar, with a search, a filter and more of them at the end. */
export function SessionList({ openId }: { openId: string | undefined }) {
  const [kind, setKind] = useState<SessionKind>('chats');
  const [text, setText] = useState('');
  const [search, setSearch] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSearch(text.trim()), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const sessions = useSessions(kind, search);
  const { data, hasNextPage, fetchNextPage } = sessions;
  const approvals = usePendingApprovals().data ?? [];
  const waiting = new Set(approvals.map(({ sessionId }) => sessionId));
  const now = useNow(30_000);
  const pinned = useValue(pins);
  const groups = useMemo(() => {
    const isPinned = new Set(pinned.map(({ sessionId }) => sessionId));
    const listed = data ?? [];
    const top: Pin[] = pinned.map((pin) => listed.find(isSame(pin)) ?? pin);
    return [
      // A search shows what it finds alone.
      ...(top.length === 0 || search !== '' ? [] : [{ title: PINNED, sessions: top }]),
      ...groupByDay<Pin>(
        search === '' ? listed.filter(({ sessionId }) => !isPinned.has(sessionId)) : listed,
        now,
      ),
    ];
  }, [data, pinned, search, now]);
  return (
    <section aria-label="Sessions" className="flex min-h-0 flex-1 flex-col">
      <div className="flex gap-1.5 px-2 pb-2">
        <input
          type="search"
          aria-label="Search sessions"
          placeholder="Search"
          value={text}
          onChange={({ target }) => setText(target.value)}
          className="h-8 min-w-0 flex-1 rounded-lg border border-line bg-panel px-2.5 text-sm"
        />
        <select
          aria-label="Which sessions"
          value={kind}
          onChange={({ target }) =>
            setKind(kinds.find((one) => one.value === target.value)?.value ?? 'chats')
          }
          className="h-8 rounded-lg border border-line bg-panel px-1 text-xs text-soft"
        >
          {kinds.map((one) => (
            <option key={one.value} value={one.value}>
              {one.words}
            </option>
          ))}
        </select>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-2">
        {/* The page says why. */}
        {data === undefined && sessions.error !== null && (
          <p className="px-2.5 py-2 text-xs text-muted">Sessions could not be loaded.</p>
        )}
        {data?.length === 0 && (
          <p className="px-2.5 py-2 text-xs text-muted">{emptyWords(kind, search)}</p>
        )}
        {groups.map(({ title, sessions: ofGroup }) => (
          <section key={title} aria-label={title} className="mb-2">
            <h2 className="px-2.5 pt-1 pb-0.5 text-xs text-muted">{title}</h2>
            <ul className="space-y-0.5">
              {ofGroup.map((session) => (
                <SessionLink
                  key={session.sessionId}
                  session={session}
                  isOpen={session.sessionId === openId}
                  isWaiting={waiting.has(session.sessionId)}
                  isPinned={title === PINNED}
                  now={now}
                />
              ))}
            </ul>
          </section>
        ))}
        {hasNextPage && <More key={data?.length} onMore={() => void fetchNextPage()} />}
      </div>
    </section>
  );
}

const PINNED = 'Pinned';

function isSame({ sessionId }: Pin) {
  return (session: ListedSession): boolean => session.sessionId === sessionId;
}

function emptyWords(kind: SessionKind, search: string): string {
  if (search !== '') return `No session has “${search}” in its title, first message or folder.`;
  return kind === 'scheduled' ? 'No schedule has started a session yet.' : 'No sessions yet.';
}

/** Loads more when it comes into view, and by a press. */
function More({ onMore }: { onMore: () => void }) {
  const element = useRef<HTMLDivElement>(null);
  const latest = useRef(onMore);
  latest.current = onMore;
  useEffect(() => {
    if (element.current === null) return undefined;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting === true) latest.current();
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={element} className="p-1">
      <Button look="quiet" className="w-full" onClick={onMore}>
        Show more
      </Button>
    </div>
  );
}

function SessionLink({
  session,
  isOpen,
  isWaiting,
  isPinned,
  now,
}: {
  session: Pin & Partial<ListedSession>;
  isOpen: boolean;
  /** An approval of it is open. */
  isWaiting: boolean;
  isPinned: boolean;
  now: number;
}) {
  const { sessionId, title, projectRoot, updatedAt, activeTurnId, origin, forkedFrom } = session;
  const pin = isPinned ? 'Unpin' : 'Pin to the top';
  const folder = projectRoot.split('/').at(-1) ?? '';
  return (
    <li className="group/row relative">
      <Link
        href={`/sessions/${sessionId}`}
        data-session
        aria-current={isOpen ? 'page' : undefined}
        className={`${rowLook} py-1.5`}
      >
        <span className="min-w-0 flex-1">
          <span className="block truncate">{title ?? 'New session'}</span>
          <span
            className="flex items-center gap-1 truncate text-xs font-normal text-muted"
            title={projectRoot}
          >
            {origin === 'schedules' && (
              <CalendarClock role="img" aria-hidden={false} aria-label="Scheduled" size={12} />
            )}
            {forkedFrom !== undefined && (
              <GitFork role="img" aria-hidden={false} aria-label="Fork" size={12} />
            )}
            <span className="truncate">
              {folder} · {formatAgo(updatedAt, now)}
            </span>
          </span>
        </span>
        {(activeTurnId !== undefined || isWaiting) && <Dot isWaiting={isWaiting} />}
      </Link>
      <IconButton
        label={`${pin}: ${title ?? 'New session'}`}
        aria-pressed={isPinned}
        onClick={() => togglePin(session)}
        className="absolute! top-1 right-1 size-6! bg-panel opacity-0 group-hover/row:opacity-100 focus-visible:opacity-100"
      >
        <PinIcon size={12} />
      </IconButton>
    </li>
  );
}

function Dot({ isWaiting }: { isWaiting: boolean }) {
  const words = isWaiting ? 'Waiting for your answer' : 'Running';
  return (
    <span
      role="img"
      aria-label={words}
      title={words}
      className={`size-2 shrink-0 rounded-full ${isWaiting ? 'bg-amber-line' : 'pulse bg-accent'}`}
    />
  );
}

import type { ListedSession } from '#src/client/turnpike-client.js';

export interface SessionGroup<Session> {
  title: string;
  sessions: Session[];
}

const DAY_MS = 86_400_000;

/** Sessions by the day of their last use, in the reader's time. Pure. @param now milliseconds since 1970. */
export function groupByDay<Session extends Pick<ListedSession, 'updatedAt'>>(
  sessions: readonly Session[],
  now: number,
): SessionGroup<Session>[] {
  const today = new Date(now).setHours(0, 0, 0, 0);
  // A day of the change to or from summer time has 23 or 25 hours.
  const before = (days: number): number =>
    new Date(today - (days - 0.5) * DAY_MS).setHours(0, 0, 0, 0);
  const titleOf = ({ updatedAt }: Session): string => {
    const at = Date.parse(updatedAt);
    if (at >= today) return 'Today';
    if (at >= before(1)) return 'Yesterday';
    return at >= before(7) ? 'Last 7 days' : 'Older';
  };
  const groups: SessionGroup<Session>[] = [];
  for (const session of sessions) {
    const title = titleOf(session);
    const group = groups.find((one) => one.title === title);
    if (group === undefined) groups.push({ title, sessions: [session] });
    else group.sessions.push(session);
  }
  return groups;
}

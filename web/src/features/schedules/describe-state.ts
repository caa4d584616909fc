import type { ScheduleView } from '#src/client/turnpike-client.js';

export interface DescribedState {
  look: 'good' | 'amber' | 'bad' | 'muted';
  words: string;
}

/** Workers submit a run within a second of its fire time. One that is due for longer has no worker. */
const LATE_MS = 10_000;

const reasons: Record<NonNullable<ScheduleView['pauseReason']>, DescribedState> = {
  requested: { look: 'muted', words: 'Paused by you' },
  failures: { look: 'bad', words: 'Paused: the last five runs failed' },
  key: { look: 'bad', words: 'Paused: its API key was revoked or expired' },
  grant: { look: 'bad', words: 'Paused: you did not log in for 90 days, or lost access' },
  times: { look: 'bad', words: 'Paused: the server no longer understands its times' },
};

/** Whether a schedule is active, or why it is not. Pure. @param now milliseconds since 1970. */
export function describeState(
  { pausedAt, pauseReason, nextAt }: ScheduleView,
  now: number,
): DescribedState {
  if (pausedAt !== null) return reasons[pauseReason ?? 'requested'];
  if (nextAt !== null && now - Date.parse(nextAt) > LATE_MS) {
    return { look: 'amber', words: 'Late: no worker has started the last run' };
  }
  return { look: 'good', words: 'Active' };
}

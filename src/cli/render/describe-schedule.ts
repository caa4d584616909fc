import type { ScheduleRunView, ScheduleView, UpcomingSlot } from '../../client/turnpike-client.js';
import { oneLine } from '../terminal/plain-text.js';

/** A line of `turnpike schedules list`. Times are UTC. */
export function describeSchedule(schedule: ScheduleView): string {
  const { key, cron, tz, session, agent, message, nextAt, pauseReason } = schedule;
  const next = nextAt === null ? `paused: ${pauseReason ?? 'requested'}` : `next ${minute(nextAt)}`;
  const where = session === 'new' ? `new session${agent === null ? '' : ` of ${agent}`}` : session;
  return `${key}  ${cron}  ${tz}  ${next}  ${where}  ${JSON.stringify(oneLine(message, 80))}`;
}

/** A line of `turnpike schedules runs`. Times are UTC. */
export function describeRun(run: ScheduleRunView): string {
  const { slot, cause, outcome, turnId, turnStatus, error, missed } = run;
  const of = turnId === null ? '' : `  ${turnId}  ${turnStatus ?? 'deleted'}`;
  const why = error === null ? '' : `  ${error.type}: ${oneLine(error.message, 200)}`;
  const count = missed === null ? '' : `  ${missed.count} until ${minute(missed.until)}`;
  return `${minute(slot)}  ${cause === 'trigger' ? 'triggered' : outcome}${of}${why}${count}`;
}

/** A line of `turnpike schedules upcoming`: by the clock of the zone, and UTC. */
export function describeUpcoming({ at, local }: UpcomingSlot, tz: string): string {
  return `${local.replace('T', ' ')} ${tz}  ${minute(at)} UTC`;
}

function minute(time: string): string {
  return time.slice(0, 16).replace('T', ' ');
}

import type { ScheduleRunView, TurnpikeClient } from '../../client/turnpike-client.js';
import { assertNever } from '../../platform/assert-never.js';
import { compact } from '../../platform/compact.js';
import { describeRun, describeSchedule, describeUpcoming } from '../render/describe-schedule.js';
import { askServer } from '../server/ask-server.js';
import {
  parseSchedulesArguments,
  type SchedulesArguments,
} from '../arguments/parse-schedules-arguments.js';

/** `turnpike schedules`: makes, lists, pauses and removes schedules, and shows what came of them. @returns the exit code. */
export function schedulesCommand(
  args: readonly string[],
  environment: Record<string, string | undefined>,
): Promise<number> {
  return askServer(environment, () => parseSchedulesArguments(args), act);
}

async function act(
  { schedules }: TurnpikeClient,
  wanted: SchedulesArguments,
): Promise<readonly string[]> {
  const print = <T>(given: T, words: (given: T) => string): string =>
    wanted.json ? JSON.stringify(given) : words(given);
  switch (wanted.action) {
    case 'list':
      return (await schedules.list()).map((one) => print(one, describeSchedule));
    case 'create':
    case 'put':
      return [print(await schedules[wanted.action](wanted.key, wanted.wanted), describeSchedule)];
    case 'show':
      return [print(await schedules.get(wanted.key), describeSchedule)];
    case 'pause':
      return [print(await schedules.pause(wanted.key), describeSchedule)];
    case 'resume':
      return [print(await schedules.resume(wanted.key), describeSchedule)];
    case 'remove':
      return [print(await schedules.delete(wanted.key), ({ key }) => `${key} is removed.`)];
    case 'trigger':
      return [print(await schedules.trigger(wanted.key), describeRun)];
    case 'runs':
      return (await listRuns(schedules, wanted)).map((one) => print(one, describeRun));
    case 'upcoming': {
      const { tz } = await schedules.get(wanted.key);
      const upcoming = await schedules.upcoming(wanted.key, wanted.limit);
      return upcoming.map((one) => print(one, (slot) => describeUpcoming(slot, tz)));
    }
    default:
      return assertNever(wanted);
  }
}

async function listRuns(
  schedules: TurnpikeClient['schedules'],
  { key, limit }: { key: string; limit: number },
): Promise<ScheduleRunView[]> {
  const found: ScheduleRunView[] = [];
  let cursor: string | undefined;
  do {
    const page = { cursor, limit: Math.min(200, limit - found.length) };
    const { runs, nextCursor } = await schedules.runs(key, compact(page));
    found.push(...runs);
    cursor = nextCursor;
  } while (cursor !== undefined && found.length < limit);
  return found;
}

import type { Page } from './session-calls.js';
import type {
  ScheduleRunView,
  ScheduleView,
  UpcomingSlot,
  WantedSchedule,
} from '../server-types.js';
import { newKey } from '../turn/new-key.js';
import type { Transport } from '../transport/transport.js';

const schedules = '/api/harness/schedules';

/** Turns at times of a clock: `client.schedules`. A schedule is named by the caller's own key of it. */
export class ScheduleCalls {
  constructor(private readonly transport: Transport) {}

  /** Makes a schedule, or replaces the one of that key. */
  put(key: string, wanted: WantedSchedule): Promise<ScheduleView> {
    return this.#one({ method: 'PUT', path: pathOf(key), body: wanted });
  }

  /** Makes a schedule. @throws TurnpikeError SCHEDULE_EXISTS where there is one of that key. */
  create(key: string, wanted: WantedSchedule): Promise<ScheduleView> {
    const headers = { 'if-none-match': '*' };
    return this.#one({ method: 'PUT', path: pathOf(key), body: wanted, headers });
  }

  async list(): Promise<ScheduleView[]> {
    return (await this.transport.json<{ schedules: ScheduleView[] }>({ path: schedules }))
      .schedules;
  }

  get(key: string): Promise<ScheduleView> {
    return this.#one({ path: pathOf(key) });
  }

  /** Fields that are not given stay as they are. */
  change(key: string, changes: Partial<WantedSchedule>): Promise<ScheduleView> {
    return this.#one({ method: 'PATCH', path: pathOf(key), body: changes });
  }

  pause(key: string): Promise<ScheduleView> {
    return this.#one({ method: 'POST', path: `${pathOf(key)}/pause` });
  }

  /** Lets a paused schedule go on from now, with the client's API key. */
  resume(key: string): Promise<ScheduleView> {
    return this.#one({ method: 'POST', path: `${pathOf(key)}/resume` });
  }

  /** Deletes a schedule with the records of its runs. */
  delete(key: string): Promise<ScheduleView> {
    return this.#one({ method: 'DELETE', path: pathOf(key) });
  }

  /**
   * Submits a turn now, beside the schedule's times.
   *
   * @param idempotencyKey a repeat with the same gives the first run. Default: a new one.
   */
  async trigger(
    key: string,
    { idempotencyKey = newKey() }: { idempotencyKey?: string } = {},
  ): Promise<ScheduleRunView> {
    const headers = { 'idempotency-key': idempotencyKey };
    const call = { method: 'POST' as const, path: `${pathOf(key)}/trigger`, headers };
    return (await this.transport.json<{ run: ScheduleRunView }>(call)).run;
  }

  /** The runs of a schedule, a record for each slot, the newest first. */
  runs(key: string, page: Page = {}): Promise<{ runs: ScheduleRunView[]; nextCursor?: string }> {
    return this.transport.json({ path: `${pathOf(key)}/runs`, query: { ...page } });
  }

  /** The next times, also of a paused schedule. @param count at most 100. Default: 10. */
  async upcoming(key: string, count?: number): Promise<UpcomingSlot[]> {
    const call = { path: `${pathOf(key)}/upcoming`, query: { count } };
    return (await this.transport.json<{ upcoming: UpcomingSlot[] }>(call)).upcoming;
  }

  async #one(call: Parameters<Transport['json']>[0]): Promise<ScheduleView> {
    return (await this.transport.json<{ schedule: ScheduleView }>(call)).schedule;
  }
}

function pathOf(key: string): string {
  return `${schedules}/${encodeURIComponent(key)}`;
}

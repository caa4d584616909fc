import { newId } from '../../../src/platform/ids.js';
import type { KeyedClient } from '../clients/keyed-client.js';

type Call = [method: string, path: string, body?: unknown];

const ofSchedule =
  (method: string, rest = '', body?: object) =>
  ({ scheduleKey: key }: { scheduleKey: string }): Call => [
    method,
    `/api/harness/schedules/${key}${rest}`,
    body,
  ];

/** Every route that takes the key of a schedule, and the call of it. */
export const scheduleCalls = {
  'get /api/harness/schedules/{key}': ofSchedule('GET'),
  'get /api/harness/schedules/{key}/runs': ofSchedule('GET', '/runs'),
  'get /api/harness/schedules/{key}/upcoming': ofSchedule('GET', '/upcoming'),
  'patch /api/harness/schedules/{key}': ofSchedule('PATCH', '', { message: 'Mine' }),
  'post /api/harness/schedules/{key}/pause': ofSchedule('POST', '/pause'),
  'post /api/harness/schedules/{key}/resume': ofSchedule('POST', '/resume'),
  'post /api/harness/schedules/{key}/trigger': ofSchedule('POST', '/trigger'),
  'delete /api/harness/schedules/{key}': ofSchedule('DELETE'),
};

/** Puts a schedule that is not due. @returns its key. */
export async function putSchedule(client: KeyedClient): Promise<string> {
  const key = newId('key');
  const yearly = { cron: '0 0 1 1 *', tz: 'UTC', session: 'new', message: 'Hello' };
  await client.send('PUT', `/api/harness/schedules/${key}`, yearly);
  return key;
}

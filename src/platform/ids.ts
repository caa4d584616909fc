import { randomUUID } from 'node:crypto';

/** `<prefix>_<UUIDv4>`, for example `sess_6b0f…`. */
export function newId(prefix: string): string {
  return `${prefix}_${randomUUID()}`;
}

/** `<prefix>_<UUIDv7>`: ids of later milliseconds sort after it. */
export function newTimeId(prefix: string, nowMs: number): string {
  const time = Math.trunc(nowMs).toString(16).padStart(12, '0');
  // The part after the version's digit is laid out as in a UUIDv7: random bits and the variant.
  const random = randomUUID().slice(15);
  return `${prefix}_${time.slice(0, 8)}-${time.slice(8)}-7${random}`;
}

/** The least id that `newTimeId` makes at a time or later. */
export function timeIdFrom(prefix: string, ms: number): string {
  const time = Math.max(Math.trunc(ms), 0).toString(16).padStart(12, '0');
  return `${prefix}_${time.slice(0, 8)}-${time.slice(8)}`;
}

/** When `newTimeId` made an id, in milliseconds since the epoch; undefined for any other text. */
export function timeOfId(id: string): number | undefined {
  const [, high = '', low = ''] = /_([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id) ?? [];
  return high === '' ? undefined : Number.parseInt(high + low, 16);
}

/** Whether a text has the form of an id of `newId(prefix)` or `newTimeId(prefix, …)`. */
export function isId(prefix: string, value: string): boolean {
  const uuid = value.slice(prefix.length + 1);
  return value.startsWith(`${prefix}_`) && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uuid);
}

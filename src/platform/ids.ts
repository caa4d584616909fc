import { randomUUID } from 'node:crypto';

/** `<prefix>_<UUIDv4>`, for example `sess_6b0f…`. */
export function newId(prefix: string): string {
  return `${prefix}_${randomUUID()}`;
}

/** Whether `value` is what `newId(prefix)` makes. */
export function isId(prefix: string, value: string): boolean {
  const uuid = value.slice(prefix.length + 1);
  return value.startsWith(`${prefix}_`) && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uuid);
}

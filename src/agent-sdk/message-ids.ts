import { createHash } from 'node:crypto';
import { isId } from '../platform/ids.js';
import { UnsupportedError } from './sdk-errors.js';

/** The namespace of the ids of messages: any uuid, the same for ever. */
const NAMESPACE = Buffer.from('5f0c7c0e2a0b4d0c9a6e1f3b8d7e4c21', 'hex');

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The uuid (version 5) of what a name stands for: equal names give equal uuids. Pure. */
export function uuidOf(name: string): string {
  const bytes = createHash('sha1').update(NAMESPACE).update(name).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [8, 12, 16, 20, 32]
    .map((end, index, ends) => hex.slice(ends[index - 1] ?? 0, end))
    .join('-');
}

/** The uuid that programs know a session by: what follows `sess_` in its id. Pure. */
export function uuidOfSession(sessionId: string): string {
  return sessionId.replace(/^sess_/, '');
}

/** The id of the session of a uuid; an id is taken as it is. @throws UnsupportedError for any other text. Pure. */
export function sessionOfUuid(uuid: string, option: string): string {
  if (isId('sess', uuid)) return uuid;
  if (uuidForm.test(uuid)) return `sess_${uuid.toLowerCase()}`;
  throw new UnsupportedError(
    `${option} ${JSON.stringify(uuid)}`,
    'give the session_id of a message, which is a uuid',
  );
}

import { LOCAL_USER } from '../access/principal.js';

/** Folder of the principal that needs no key. */
const DEFAULT_FOLDER = 'default';

/**
 * Names a principal's folder in the projects folder. No two principals share a name, also on disks that
 * ignore case: anything but a small letter, a digit, `-`, `_`, `.` or `@` is `%` and
 * its bytes in hexadecimal. Pure.
 */
export function principalFolder(principalId: string): string {
  if (principalId === LOCAL_USER) return DEFAULT_FOLDER;
  // No name is the default folder's, a hidden folder's, or a way up.
  const [first = '', ...rest] = principalId;
  const isTaken = principalId === DEFAULT_FOLDER || first === '.';
  return (isTaken ? encode(first) : keep(first)) + rest.map(keep).join('');
}

function keep(letter: string): string {
  return /^[a-z0-9_.@-]$/.test(letter) ? letter : encode(letter);
}

function encode(letter: string): string {
  const bytes = [...Buffer.from(letter, 'utf8')];
  return bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

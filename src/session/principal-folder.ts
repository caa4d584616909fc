import { LOCAL_USER } from '../access/ownership/local-user.js';

/** Of who needs no key. */
const DEFAULT_FOLDER = 'default';

/**
 * The name of a principal's folder in the projects folder: no two principals have one, also where a disk
 * does not tell `Ann` from `ann`. What is not a small letter, a digit, `-`, `_`, `.` or `@` is `%` and its
 * bytes in hexadecimal. Pure.
 */
export function principalFolder(principalId: string): string {
  if (principalId === LOCAL_USER) return DEFAULT_FOLDER;
  // Nobody's name is that of the folder which is not its own, a hidden one, or a way up.
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

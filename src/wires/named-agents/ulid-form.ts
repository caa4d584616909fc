/** Crockford's base32: no I, L, O and U. */
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 26;

/** The form of ULIDs that clients send. Texts from 8 on exceed 128 bits: see `fromUlid`. */
export const ulidPattern = /^[0-9A-HJKMNP-TV-Z]{26}$/;

/**
 * The ULID of an id `<prefix>_<uuid>`: the same 128 bits. The ULID's time is right where the UUID
 * is of version 7.
 *
 * @throws SyntaxError for text without a UUID.
 */
export function toUlid(id: string): string {
  let bits = BigInt(`0x${id.slice(id.lastIndexOf('_') + 1).replaceAll('-', '')}`);
  let ulid = '';
  while (ulid.length < LENGTH) {
    ulid = digits.charAt(Number(bits & 31n)) + ulid;
    bits >>= 5n;
  }
  return ulid;
}

/** The id with this ULID; undefined for text that is no ULID, or exceeds 128 bits. */
export function fromUlid(prefix: string, ulid: string): string | undefined {
  if (!ulidPattern.test(ulid) || ulid.charAt(0) > '7') return undefined;
  let bits = 0n;
  for (const digit of ulid) bits = (bits << 5n) | BigInt(digits.indexOf(digit));
  const hex = bits.toString(16).padStart(32, '0');
  const [, ...groups] = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/.exec(hex) ?? [];
  return `${prefix}_${groups.join('-')}`;
}

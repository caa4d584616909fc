/** Crockford's base32: no I, L, O and U. */
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 26;

/** What a client may call a ULID. Of these, one that begins with 8 or more is none: see `fromUlid`. */
export const ulidPattern = /^[0-9A-HJKMNP-TV-Z]{26}$/;

/**
 * An id of ours, `<prefix>_<uuid>`, as a ULID: the same 128 bits. Where the UUID is of version 7, the
 * ULID's time is right.
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

/** The id of ours that has this ULID; undefined for text that is none, or has more than 128 bits. */
export function fromUlid(prefix: string, ulid: string): string | undefined {
  if (!ulidPattern.test(ulid) || ulid.charAt(0) > '7') return undefined;
  let bits = 0n;
  for (const digit of ulid) bits = (bits << 5n) | BigInt(digits.indexOf(digit));
  const hex = bits.toString(16).padStart(32, '0');
  const [, ...groups] = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/.exec(hex) ?? [];
  return `${prefix}_${groups.join('-')}`;
}

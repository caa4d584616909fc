/** The form of `mints`, which says whom a key may make page tokens for: `app:ann`, or with `app:*` everybody whose id begins with `app:`. */
export const mintsPattern = /^[A-Za-z0-9][\w.@-]{0,63}:(\*|[^\s\p{C}*]{1,128})$/u;

/** Ids that a page token may be for, beside the key's own principal. */
export const mintedPattern = /^[A-Za-z0-9][\w.@-]{0,63}(:[^\s\p{C}]{1,128})?$/u;

/** Whether a key with these `mints` may make page tokens for a principal that is not its own. Pure. */
export function mayMint(mints: string | null, principal: string): boolean {
  if (mints === null) return false;
  if (!mints.endsWith(':*')) return principal === mints;
  const prefix = mints.slice(0, -1);
  return principal.startsWith(prefix) && principal.length > prefix.length;
}

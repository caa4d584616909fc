/** See the script. */
export function findReleaseFault(
  tag: string,
  of: { version: string; changelog: string },
): string | undefined;

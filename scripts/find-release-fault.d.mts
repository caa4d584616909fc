/** See the script. */
export function findReleaseFault(
  tag: string,
  of: { version: string; createVersion: string; changelog: string },
): string | undefined;

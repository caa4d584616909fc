/** See the script. */
export function findCommit(
  folder: string,
  environment?: Record<string, string | undefined>,
): string | undefined;

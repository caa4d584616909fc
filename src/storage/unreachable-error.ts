/** Redis or PostgreSQL did not answer at the start. */
export class UnreachableError extends Error {
  constructor(variable: 'REDIS_URL' | 'DATABASE_URL', host: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
    super(
      `${variable} names ${host}, which cannot be used: ${reason}. Start it, or correct the variable.`,
      { cause },
    );
    this.name = 'UnreachableError';
  }
}

/** The host of a URL, without its secrets. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'something that is no URL';
}

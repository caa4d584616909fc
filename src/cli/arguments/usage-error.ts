/** A wrong call of a command; the message says what is right. */
export class UsageError extends Error {}

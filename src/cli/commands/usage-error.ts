/** Not a way to call the command; the message says which way is. */
export class UsageError extends Error {}

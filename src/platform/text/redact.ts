/** Takes the process's own secrets out of a text. */
export type Redact = (text: string) => string;

/** Injects the `Redact` of the process. */
export const REDACT = Symbol('Redact');

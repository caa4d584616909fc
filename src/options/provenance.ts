/** Which tier a value came from; `instructions` is the project's AGENTS.md. */
export type Provenance =
  | 'opts'
  | 'session'
  | 'persona'
  | 'user'
  | 'environment'
  | 'instructions'
  /** The model it was resolved to did not answer. */
  | 'fallback'
  | 'default';

/** A value that applies, and the tier it came from. */
export type Chosen<T> = { value: T; from: Provenance };

import type { Provenance } from '../storage/shapes/stored-options.js';

/** A value that applies, and the tier it came from. */
export type Chosen<T> = { value: T; from: Provenance };

import type { Tally } from '../types.js';

export function emptyTally(): Tally;

import { compareCursors, type Position } from './cursor.js';

export type Continuity = 'follows' | 'repeated' | 'gap';

/** How a run of events of one attempt, `first` to `last`, continues a log that ends at `end`. */
export function followsOn(end: Position, first: Position, last: Position): Continuity {
  if (compareCursors(last, end) <= 0) return 'repeated';
  const expected = first.attempt > end.attempt ? 1 : end.seq + 1;
  return first.seq === expected && first.attempt >= end.attempt ? 'follows' : 'gap';
}

import type { TurnRows, Violation } from '../types.js';

export declare function checkMarks(
  turns: readonly { turnId: string; calls: TurnRows['calls'] }[],
  lines: ReadonlyMap<string, number>,
): Violation[];

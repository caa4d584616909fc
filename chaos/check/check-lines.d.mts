import type { ChaosSession, LineRow, View, Violation } from '../types.js';

export declare function checkLines(
  sessions: readonly ChaosSession[],
  rows: readonly LineRow[],
): Violation[];
export declare function checkViews(
  views: readonly View[],
  lines: ReadonlyMap<string, View>,
  rows: readonly LineRow[],
): Violation[];

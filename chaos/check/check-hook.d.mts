import type { HookRecord, TurnRows, Violation } from '../types.js';

export declare function checkHook(
  turns: readonly { turnId: string; calls: TurnRows['calls'] }[],
  lines: ReadonlyMap<string, number>,
  asked: ReadonlyMap<string, HookRecord>,
): Violation[];

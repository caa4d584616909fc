import type { TurnHistory, TurnRows, Violation } from '../types.js';

export declare const SURELY_BACK_MS: number;
export declare function checkTurn(history: TurnHistory, rows: TurnRows | undefined): Violation[];

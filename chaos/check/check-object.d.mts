import type { TurnHistory, TurnRows, Violation } from '../types.js';

export declare function checkObject(history: TurnHistory, rows: TurnRows): Violation[];

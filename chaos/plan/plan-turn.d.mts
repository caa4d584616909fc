import type { TurnPlan } from '../types.js';

export declare const MARKS_FILE: string;
export declare function planTurn(seed: number, index: number): TurnPlan;
export declare function markerOf(text: string): string | undefined;

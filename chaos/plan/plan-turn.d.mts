import type { TurnPlan } from '../types.js';

export declare const MARKS_FILE: string;
export declare function planTurn(seed: number, index: number, client?: number): TurnPlan;
export declare function markerOf(text: string): string | undefined;
export declare function hookAnswerOf(input: Record<string, unknown>): 'allow' | 'deny' | 'broken';

import type { Random } from './random.mjs';

export declare const SHARED_FILE: string;
export declare function planMemory(
  turn: { name: string; client: number },
  random: Random,
): { message: string; opts: Record<string, unknown> };

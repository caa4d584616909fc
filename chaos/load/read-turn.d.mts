import type { ReaderHistory, World } from '../types.js';

export interface ReadPlan {
  name: string;
  firstApi: number;
  post?: { body: string; key: string; isRepeated: boolean };
  turnId?: string;
  cutsAfter?: readonly number[];
  pauseMs?: number;
  leaveAfter?: number | undefined;
  onAccepted?: (turnId: string) => void;
  onFrame?: (count: number) => void;
}

export declare function readTurn(
  world: World,
  plan: ReadPlan,
): Promise<{ turnId: string | undefined; history: ReaderHistory }>;

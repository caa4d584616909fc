import type { BranchPlan, ChaosSession, LineTurn, Violation } from '../types.js';

export interface TurnPlace {
  sessionId: string;
  line: readonly LineTurn[];
  replaces?: string;
  mayLose?: boolean;
}

export interface ForkPoint {
  at: LineTurn;
  position: 'before' | 'after';
  isContested: boolean;
}

export interface Sender {
  takeTurn: (client: number, place: TurnPlace) => Promise<LineTurn | undefined>;
  fork: (session: ChaosSession, point: ForkPoint) => Promise<ChaosSession | undefined>;
  isOver: () => boolean;
  violations: Violation[];
}

export declare class SessionLines {
  constructor(sender: Sender);
  follow(session: ChaosSession, client: number): Promise<void>;
  branch(session: ChaosSession, client: number, plan: BranchPlan): Promise<void>;
}

export declare function forkedLine(
  source: ChaosSession,
  point: Omit<ForkPoint, 'isContested'>,
): LineTurn[];

import type { BranchPlan } from '../types.js';

export declare function planBranch(seed: number, session: number): BranchPlan;

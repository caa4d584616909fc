import type { Fault, FaultKind } from '../types.js';

export declare const faultKinds: readonly FaultKind[];
export declare function planFaults(options: {
  seed: number;
  minutes: number;
  workers: number;
  apis: number;
  leaseMs: number;
  leftOut?: readonly FaultKind[];
}): Fault[];
export declare function roleOf(
  kind: FaultKind,
): 'worker' | 'api' | 'redis' | 'postgres' | 'clients' | 'queue';

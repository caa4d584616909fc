import type { Violation } from '../types.js';

export interface Connections {
  postgres: number;
  redis: number;
}

export interface Leftovers {
  turns: { id: string; status: string; isLeased: boolean }[];
  keys: { key: string; ttlMs: number }[];
  connections: Connections;
  connectionsAtIdle: Connections;
  processes: string[];
}

export declare function queueKeys(prefix: string): string;
export declare function checkLeftovers(left: Leftovers, prefix: string): Violation[];

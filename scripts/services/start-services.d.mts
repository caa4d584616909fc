import type { SmallDisk } from './small-disk.mjs';

export interface Service {
  port: number;
  pid(): number | undefined;
  /** Whether its process has not ended. */
  isUp(): boolean;
  /** Resolves when it answers. */
  start(): Promise<void>;
  /** Resolves when it has exited. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface Services {
  redisUrl: string;
  /** The URL of an empty database. */
  databaseUrl: string;
  /** Absent where it is somebody else's. */
  redis: Service | undefined;
  /** Absent where it is somebody else's. */
  postgres: Service | undefined;
  /** PostgreSQL's, or why it has none. Absent: none was asked for. */
  disk?: SmallDisk | { missing: string } | undefined;
  stop(): Promise<void>;
}

/** PgBouncer before a database: each transaction may be at another of two connections. */
export function definePgBouncer(options: {
  folder: string;
  program: string;
  databaseUrl: string;
}): Promise<Service>;

export function startServices(options?: {
  /** Files are synced and Redis has an append-only file, as in production. */
  durable?: boolean;
  /** Starts both, whatever TEST_REDIS_URL and TEST_DATABASE_URL say: for tests that stop them. */
  own?: boolean;
  /** Size of the disk of its own that PostgreSQL has, if this process may mount one. */
  diskBytes?: number;
  log?: (line: string) => void;
}): Promise<Services>;

import { Pool } from 'pg';
import type { EngineThread } from './engine-thread.js';

/** A pool of one connection to the engine, which has one session. */
export function openEnginePool(engine: EngineThread): Pool {
  return new Pool({
    user: 'postgres',
    database: 'postgres',
    stream: () => engine.connect(),
    max: 1,
    idleTimeoutMillis: 0,
  });
}

import path from 'node:path';
import { lockDataFolder } from './data-folder.js';
import { EngineThread } from '../engine/engine-thread.js';

/** The data folder that a process opened before its application; absent where the application opens its own. */
export const OPENED_FOLDER = Symbol('OpenedFolder');

/** A data folder that this process owns. */
export interface OpenFolder {
  /** The engine of its database: a third of a second on a thread of its own. */
  engine: Promise<EngineThread>;
  /** Writes the URL that this process serves, for other processes. */
  publish(url: string): Promise<void>;
  /** Ends the engine, and gives the folder up. */
  release(): Promise<void>;
}

/** Starts the engine on a data folder's database, which is made when it is missing. @throws as `EngineThread.start`. */
export function startEngine(folder: string): Promise<EngineThread> {
  return EngineThread.start(path.join(folder, 'db'));
}

/**
 * Locks a data folder, and starts the engine of its database. Resolves when the folder is locked: what else a start
 * does goes on beside the engine's.
 *
 * @throws DataFolderBusyError, DataFolderUnusableError.
 */
export async function openDataFolder(folder: string): Promise<OpenFolder> {
  const lock = await lockDataFolder(folder);
  const engine = startEngine(folder);
  // The failure is thrown to the caller that opens the database; a release only waits for the end.
  const ended = engine.catch(() => undefined);
  return {
    engine,
    publish: lock.publish,
    release: async () => {
      await (await ended)?.close();
      await lock.release();
    },
  };
}

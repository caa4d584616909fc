/** The work of the engine's thread: to serve the database in a folder. */
export interface EngineTask {
  folder: string;
}

/** A message to the engine's thread. Connections come one after another: the engine has one session. */
export type ToEngine =
  | { type: 'open'; connection: number }
  /** Whole messages of PostgreSQL's wire protocol. */
  | { type: 'send'; connection: number; bytes: Uint8Array<ArrayBuffer> }
  | { type: 'close' };

/** A message of the engine's thread. */
export type FromEngine =
  | { type: 'ready' }
  /** The folder could not be opened; with the system's code, where it has one. */
  | { type: 'failed'; message: string; code?: string | undefined }
  | { type: 'answer'; connection: number; bytes: Uint8Array };

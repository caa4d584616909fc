import { packageVersion } from '../platform/process/package-root.js';

/**
 * An export is lines of JSON: a header, sessions, an end. A session is a line `session`, its records and files,
 * the sessions of its subagents, and a line `session.end`. After the sessions come
 * the files of memories. `docs/operate/backup.md` describes it.
 */
export const EXPORT_FORMAT = 'turnpike-export';

/** Version of the format: raised where an older server would misread a newer file. */
export const EXPORT_VERSION = 1;

/** Bytes of a file in one line: they are a third longer in base64. */
export const FILE_PIECE_BYTES = 192 * 1024;

/** The lines that are no row of a table. */
export type FrameLine =
  | { type: 'header'; format: string; version: number; server: string; at: string }
  /** A file of the session before it; its bytes follow, unless they are no longer stored. */
  | { type: 'file'; sha256: string; size: number; missing?: boolean }
  | { type: 'bytes'; data: string }
  /** The end of a session and of its subagents' sessions. */
  | { type: 'session.end'; sessionId: string; lines: number }
  /** The session was deleted while it was exported: its lines are void. */
  | { type: 'session.gone'; sessionId: string }
  /** `memoryFiles`: files of memories, after the sessions. Absent: none, as in files of earlier versions. */
  | { type: 'end'; sessions: number; memoryFiles?: number };

export function headerAt(at: string): FrameLine {
  const format = EXPORT_FORMAT;
  return { type: 'header', format, version: EXPORT_VERSION, server: packageVersion, at };
}

export function frameText(line: FrameLine): string {
  return `${JSON.stringify(line)}\n`;
}

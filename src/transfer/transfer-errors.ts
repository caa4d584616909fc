import { TypedError, invalidRequest } from '../errors/typed-error.js';
import type { LineFault } from './parse-line.js';

/** What an import has done. */
export interface ImportReport {
  /** Sessions that were stored, without those of subagents. */
  imported: number;
  /** Sessions that were here already, or void. */
  skipped: number;
  /** Ids of these, the first hundred. */
  skippedSessions: string[];
  /** Turns that had not ended, and were stored as interrupted. */
  interruptedTurns: number;
  importedMemoryFiles: number;
  /** Files of memories whose path is taken here. */
  skippedMemoryFiles: number;
}

export function subagentSession(sessionId: string, parentTurnId: string): TypedError {
  return invalidRequest(
    `${sessionId} is the session of a subagent, which goes with the session of its parent. Export that of the turn ${parentTurnId}.`,
    { sessionId, parentTurnId },
  );
}

export function replaySession(sessionId: string, turnId: string): TypedError {
  return invalidRequest(
    `${sessionId} is the session of a replay, which can be made again and is not exported. Export the session of the turn ${turnId}, or fork this one and export the fork.`,
    { sessionId, turnId },
  );
}

/** The error for a file that is not an export to its end. Sessions before the line stay. */
export function importInvalid({ line, why, isNewer }: LineFault, done: ImportReport): TypedError {
  const kept =
    done.imported === 0
      ? 'Nothing was imported.'
      : `Of the session at that line nothing was stored; ${done.imported} before it ${done.imported === 1 ? 'was' : 'were'} imported.`;
  return new TypedError(isNewer ? 'IMPORT_TOO_NEW' : 'IMPORT_INVALID', {
    message: `Line ${line} ${why}${/[.!?]$/.test(why) ? '' : '.'} ${kept}`,
    details: { line, ...done },
  });
}

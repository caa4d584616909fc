export const forkPositions = ['before', 'after'] as const;

/** Whether a fork has the turn that it names, or ends before it. */
export type ForkPosition = (typeof forkPositions)[number];

/** The point of another session that a fork began at. The session may be gone since. */
export interface ForkSource {
  sessionId: string;
  turnId: string;
  position: ForkPosition;
  /** Files that were written after that point, which the fork finds as they are. Absent: none. */
  written?: WrittenFiles;
}

/** Files that turns wrote, by the ledger. */
export interface WrittenFiles {
  /** Paths as the model gave them, in the order of their first write. */
  paths: string[];
  /** Paths beyond those that are listed. */
  more: number;
  /** Whether commands ran, whose writes the ledger does not know. */
  ranCommands: boolean;
  /** Tools of MCP servers that ran, each once, whose writes the ledger does not know either. Absent: none. */
  mcpTools?: string[];
}

import type { Principal } from '../../access/principal.js';
import type { ReceivedFile } from '../../attachments/received-file.js';
import type { AgentConfig } from '../../storage/shapes/stored-limits.js';
import type { OptionProblem, OnDisconnect } from '../../storage/shapes/stored-options.js';
import type { Disposition } from './disposition.js';

export interface TurnSubmission {
  sessionId: string;
  /** Who sends it, with what it may use; absent: whoever may use all. */
  principal?: Principal;
  /** As the client sent it; blank is fine beside an attachment. */
  message: string;
  opts: unknown;
  /** Absolute paths. */
  attachments: string[];
  /** Files that came with the request itself. */
  files?: readonly ReceivedFile[];
  /** Its wire has no place to tell of one that is refused while the turn goes on: it is refused whole. */
  needsAllFiles?: boolean;
  idempotencyKey: string | undefined;
  /** Limits where nobody sets any, in place of the server's. */
  limits?: Readonly<AgentConfig>;
  /** It came on the oracle's wire: what its user has not set has the oracle's defaults. */
  isOracle?: boolean;
  /** The process that its sender reads it at. */
  readerProcess?: string;
  /** What of the request had no effect: the client is told. */
  problems?: readonly OptionProblem[];
  /** The persona was named as an agent: its model and permission mode count where `opts` has none. */
  asAgent?: boolean;
  /**
   * Permission mode where neither `opts` nor the agent's file names one: `direct` where the wire can show an
   * approval, `dontAsk` where it cannot. Absent: the session's.
   */
  wireMode?: 'direct' | 'dontAsk';
}

export interface SubmittedTurn {
  turnId: string;
  onDisconnect: OnDisconnect;
  disposition: Disposition;
  /** To be called when something of the turn was seen: it does not wait any more. */
  onBegun?: () => void;
}

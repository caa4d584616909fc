import type { UserPart } from '../../provider/model-types.js';
import type { RefusalKind } from '../../provider/provider-errors.js';
import type { RequestPrefix } from '../../storage/shapes/sent-request.js';
import type { TurnTranscript } from './build-messages.js';

/** The conversation that a run's requests send, up to the user's message. */
export interface SentConversation {
  /** The prefix of the session's requests. */
  prefix: RequestPrefix;
  /** The session has the prefix; else it is stored with the next step. */
  isPrefixStored: boolean;
  earlierTurns: readonly TurnTranscript[];
  /** The summary of the turns before them. */
  summary: string | undefined;
  /** The user's message, files by their bytes. */
  userParts: UserPart[];
  /** The files in the turn's own outputs as they are shown, by call. */
  outputFiles: ReadonlyMap<string, readonly UserPart[]>;
  /** Shows the files of the conversation, with those that came since the last request. */
  showFiles(): Promise<void>;
  /** Names of the files that the conversation has had. */
  files: readonly string[];
  /** Whether the conversation could be shorter when the run began. */
  canShorten: boolean;
  /** Refusals of the provider that were remedied once. */
  recovered: Set<RefusalKind>;
  /** Earlier turns that ended with a refusal of the provider, and are sent all the same. */
  refusedTurns: readonly string[];
  /**
   * Makes the run's requests shorter, where they can be.
   *
   * @returns what takes it back; undefined where they cannot.
   */
  shorten(): Promise<Undo | undefined>;
}

export type Undo = () => Promise<void>;

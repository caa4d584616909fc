import type { AgentSdk, Query, QueryOptions, UserInput } from './agent-sdk.js';
import type { Aspect } from './normalise.js';
import type { Thread } from './scripted-messages.js';

/** What a case has beside the SDK. */
export interface Place {
  /** The project's folder, an absolute path. The process works there. */
  readonly folder: string;
  /** Adds a line to the recording that both sides have to have. */
  note(what: string, value?: unknown): void;
  /**
   * Queries in the case's project and reads to the end: mode `default`, no settings, and `tools` named. What the SDK
   * throws while it is read is in the recording, and `threw` is true.
   */
  ask(
    sdk: AgentSdk,
    prompt: string | AsyncIterable<UserInput>,
    options?: QueryOptions,
  ): Promise<Asked>;
  /** The options of `ask`, for a case that reads by itself. */
  options(more?: QueryOptions): QueryOptions;
}

export interface Asked {
  query: Query;
  /** Of the first message that has one. */
  sessionId: string;
  /** The `uuid` of each message that has one, with its type. */
  uuids: { type: string; uuid: string }[];
  threw: boolean;
}

/** A program that both SDKs run, and the model that it meets. */
export interface Case {
  /** A sentence that is the case's name in `expected/` and `differences.ts`. */
  name: string;
  /** Files of the project before it begins, by their paths in it. */
  files?: Readonly<Record<string, string>>;
  /** What the model says. */
  script: readonly Thread[];
  /** What is compared beside the aspects of its group. */
  also?: readonly Aspect[];
  /** Its return value is compared, too. */
  run(sdk: AgentSdk, place: Place): Promise<unknown>;
}

/** The cases of one point of what has to be equal. */
export interface Group {
  /** The name of its file in `expected/`. */
  name: string;
  /** What is compared of each case. */
  aspects: readonly Aspect[];
  cases: readonly Case[];
}

import type { AgentConfig } from '../../storage/shapes/stored-limits.js';

/** Why a loop ended: the reasons this server gives, in the order in which they are looked at. */
export type KnownTerminationReason =
  | 'completed'
  | 'max_iterations'
  | 'token_budget'
  | 'cost_budget'
  | 'timeout'
  | 'no_progress'
  | 'error_limit';

/** One of ours, or a decision tree's own: `a-z 0-9 _`. Whoever reads it takes any text. */
export type TerminationReason = KnownTerminationReason | (string & Record<never, never>);

/** One tool call and what came of it. */
export interface ActionRecord {
  /** The iteration that asked for it: calls of one iteration ran side by side. */
  readonly turn: number;
  readonly tool: string;
  /** Tool and arguments: equal for equal calls, in whatever order the arguments' keys were. */
  readonly signature: string;
  /** The same for people, cut to 200 characters: `search_code({"query":"x"})`. */
  readonly action: string;
  /** Hash of the result: equal for equal results. */
  readonly outcome: string;
  readonly isError: boolean;
}

interface AgentStateFields {
  readonly userId: string;
  readonly projectId: string;
  /** Iterations that were started. */
  readonly turn: number;
  /** What the turn added to its conversation: what `config.tokenBudget` counts. */
  readonly tokensUsed: number;
  /** What all turns of the session were paid for, where a limit is set. */
  readonly session: { readonly usedTokens: number; readonly limitTokens: number } | undefined;
  /** What was spent, where a limit is set. */
  readonly cost: { readonly usedUsd: number; readonly limitUsd: number } | undefined;
  /** Milliseconds since the epoch. */
  readonly startTime: number;
  /** The time this state is of, in milliseconds since the epoch. */
  readonly now: number;
  readonly terminationReason: TerminationReason | undefined;
  readonly config: Readonly<AgentConfig>;
  /** For modules that come later; the loop does not look at it. */
  readonly extensions: Readonly<Record<string, unknown>>;
  /** The model stopped and asked for no tool. */
  readonly hasFinished: boolean;
  /** Tool errors since the last result that was none. */
  readonly toolErrors: number;
  /** The last of them, cut to 500 characters. */
  readonly lastError: string | undefined;
  /** What was done in the last 12 iterations that did anything, oldest first. */
  readonly actions: readonly ActionRecord[];
}

/** A turn's loop at one moment. Plain, frozen data: a transition makes a new one. */
export interface AgentState extends AgentStateFields {
  /** Signatures of the last 3 actions, oldest first. */
  readonly recentActions: readonly string[];
  readonly isTerminal: boolean;
  readonly elapsedSeconds: number;
  /** Of `config.maxIterations`. */
  readonly iterationPercent: number;
  /** Of `config.tokenBudget`. */
  readonly tokenPercent: number;
}

export type AgentStateChange = Partial<AgentStateFields>;

export type NewAgentState = AgentStateChange &
  Pick<AgentStateFields, 'userId' | 'projectId' | 'startTime' | 'config'>;

/**
 * The state a loop starts from, or goes on from after a crash. `now` is `startTime` when it is not
 * given.
 *
 * @throws Error when the fields contradict each other.
 */
export function newAgentState(given: NewAgentState): AgentState {
  return derive({
    turn: 0,
    tokensUsed: 0,
    session: undefined,
    cost: undefined,
    now: given.startTime,
    terminationReason: undefined,
    extensions: {},
    hasFinished: false,
    toolErrors: 0,
    lastError: undefined,
    actions: [],
    ...given,
  });
}

/**
 * The same state with some fields changed.
 *
 * @throws Error when the fields contradict each other.
 */
export function changeState(state: AgentState, change: AgentStateChange): AgentState {
  return derive({ ...state, ...change });
}

/** The state at a later time. A clock that was set back does not take time from the turn. */
export function moveTime(state: AgentState, now: number): AgentState {
  return changeState(state, { now: Math.max(state.now, now) });
}

function derive(fields: AgentStateFields): AgentState {
  checkInvariants(fields);
  const { config, turn, tokensUsed, startTime, now } = fields;
  return Object.freeze({
    ...fields,
    config: frozen(config),
    actions: frozenList(fields.actions),
    recentActions: Object.freeze(fields.actions.slice(-3).map(({ signature }) => signature)),
    extensions: frozen(fields.extensions),
    isTerminal: fields.terminationReason !== undefined,
    elapsedSeconds: (now - startTime) / 1000,
    iterationPercent: (turn * 100) / config.maxIterations,
    tokenPercent: (tokensUsed * 100) / config.tokenBudget,
  });
}

/** Written so that NaN breaks them too. */
function checkInvariants({ turn, tokensUsed, startTime, now }: AgentStateFields): void {
  if (!(turn >= 0)) throw new Error(`turn must be 0 or more, not ${turn}`);
  if (!(tokensUsed >= 0)) throw new Error(`tokensUsed must be 0 or more, not ${tokensUsed}`);
  if (!(startTime <= now)) throw new Error(`startTime ${startTime} must not be after now ${now}`);
}

/** What is frozen is taken as it is: copying on every transition would copy the same list again. */
function frozen<T extends object>(value: T): Readonly<T> {
  return Object.isFrozen(value) ? value : Object.freeze({ ...value });
}

function frozenList<T>(list: readonly T[]): readonly T[] {
  return Object.isFrozen(list) ? list : Object.freeze([...list]);
}

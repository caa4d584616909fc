import type { AgentConfig } from '../../storage/shapes/stored-options.js';

/** Reasons that this server gives for a loop's end, in the order of the checks. */
export type KnownTerminationReason =
  | 'completed'
  | 'max_iterations'
  | 'token_budget'
  | 'cost_budget'
  | 'timeout'
  | 'no_progress'
  | 'error_limit';

/** A known reason, or a decision tree's own (`a-z 0-9 _`). Readers accept any text. */
export type TerminationReason = KnownTerminationReason | (string & Record<never, never>);

/** A tool call with its outcome. */
export interface ActionRecord {
  /** The iteration that requested the call: calls of an iteration run in parallel. */
  readonly turn: number;
  readonly tool: string;
  /** Tool and canonical arguments: equal for equal calls, whatever the order of the keys. */
  readonly signature: string;
  /** The call for people, cut to 200 characters: `search_code({"query":"x"})`. */
  readonly action: string;
  /** Hash of the result: equal for equal results. */
  readonly outcome: string;
  readonly isError: boolean;
}

interface AgentStateFields {
  readonly userId: string;
  readonly projectId: string;
  /** Iterations started. */
  readonly turn: number;
  /** Tokens that the turn added to its conversation; `config.tokenBudget` limits them. */
  readonly tokensUsed: number;
  /** Tokens paid for by all turns of the session; undefined without a limit. */
  readonly session: { readonly usedTokens: number; readonly limitTokens: number } | undefined;
  /** Cost of the turn; undefined without a limit. */
  readonly cost: { readonly usedUsd: number; readonly limitUsd: number } | undefined;
  /** Milliseconds since the epoch. */
  readonly startTime: number;
  /** Time of this state, in milliseconds since the epoch. */
  readonly now: number;
  readonly terminationReason: TerminationReason | undefined;
  readonly config: Readonly<AgentConfig>;
  /** Data of custom decision trees; the loop ignores it. */
  readonly extensions: Readonly<Record<string, unknown>>;
  /** The model stopped and asked for no tool. */
  readonly hasFinished: boolean;
  /** Tool errors since the last successful result. */
  readonly toolErrors: number;
  /** The last tool error, cut to 500 characters. */
  readonly lastError: string | undefined;
  /** Tool calls of the last 12 iterations that made any, oldest first. */
  readonly actions: readonly ActionRecord[];
}

/** A snapshot of a turn's loop: plain, frozen data, which a transition replaces. */
export interface AgentState extends AgentStateFields {
  /** Signatures of the last 3 actions, oldest first. */
  readonly recentActions: readonly string[];
  readonly isTerminal: boolean;
  readonly elapsedSeconds: number;
  /** Iterations started, in percent of `config.maxIterations`. */
  readonly iterationPercent: number;
  /** Tokens used, in percent of `config.tokenBudget`. */
  readonly tokenPercent: number;
}

export type AgentStateChange = Partial<AgentStateFields>;

export type NewAgentState = AgentStateChange &
  Pick<AgentStateFields, 'userId' | 'projectId' | 'startTime' | 'config'>;

/**
 * The first state of a loop, or the state that a recovered loop continues from. `now` defaults to
 * `startTime`.
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
 * A copy with some fields changed.
 *
 * @throws Error when the fields contradict each other.
 */
export function changeState(state: AgentState, change: AgentStateChange): AgentState {
  return derive({ ...state, ...change });
}

/** The state at a later time. A clock that was set back takes no time from the turn. */
export function moveTime(state: AgentState, now: number): AgentState {
  return now > state.now ? changeState(state, { now }) : state;
}

/** Each field by its name: a spread copies frozen fields one by one, in eight times the time. */
function derive(fields: AgentStateFields): AgentState {
  checkInvariants(fields);
  const { config, turn, tokensUsed, startTime, now, terminationReason, actions } = fields;
  return Object.freeze({
    userId: fields.userId,
    projectId: fields.projectId,
    turn,
    tokensUsed,
    session: fields.session,
    cost: fields.cost,
    startTime,
    now,
    terminationReason,
    config: frozen(config),
    extensions: frozen(fields.extensions),
    hasFinished: fields.hasFinished,
    toolErrors: fields.toolErrors,
    lastError: fields.lastError,
    actions: frozenList(actions),
    recentActions: Object.freeze(actions.slice(-3).map(({ signature }) => signature)),
    isTerminal: terminationReason !== undefined,
    elapsedSeconds: (now - startTime) / 1000,
    iterationPercent: (turn * 100) / config.maxIterations,
    tokenPercent: (tokensUsed * 100) / config.tokenBudget,
  });
}

/** Conditions are negated so that NaN fails them too. */
function checkInvariants({ turn, tokensUsed, startTime, now }: AgentStateFields): void {
  if (!(turn >= 0)) throw new Error(`turn must be 0 or more, not ${turn}`);
  if (!(tokensUsed >= 0)) throw new Error(`tokensUsed must be 0 or more, not ${tokensUsed}`);
  if (!(startTime <= now)) throw new Error(`startTime ${startTime} must not be after now ${now}`);
}

/**
 * Frozen objects are kept, so that a transition does not copy an unchanged list.
 */
export function frozen<T extends object>(value: T): Readonly<T> {
  return Object.isFrozen(value) ? value : Object.freeze({ ...value });
}

function frozenList<T>(list: readonly T[]): readonly T[] {
  return Object.isFrozen(list) ? list : Object.freeze([...list]);
}

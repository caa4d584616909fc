import type { FollowedTurn, TurnpikeClient } from '../client/turnpike-client.js';
import type { QueryPlan } from './plan-query.js';
import type { Options } from './query-options.js';
import type { PermissionMode } from './sdk-messages.js';
import type { QueryUsage } from './turn-end.js';

/** What a query holds while it runs. */
export interface QueryState {
  readonly client: TurnpikeClient;
  readonly options: Options;
  readonly plan: QueryPlan;
  /** Whether the prompt is one text. */
  readonly isText: boolean;
  /** Aborts with the reason for which the query is left. */
  readonly leaving: AbortController;
  readonly total: QueryUsage;
  /** The id of the session; empty before there is one. */
  sessionId: string;
  /** The folder of the session; empty before there is one. */
  cwd: string;
  mode: PermissionMode;
  /** The model of the turns to come. Undefined: the server's. */
  model: string | undefined;
  /** The turn that is being read. */
  turn: FollowedTurn | undefined;
  /** An interrupt of the turn that is being read, until the server has answered it. */
  interrupting: Promise<void> | undefined;
}

/** The reason for which a query was closed by its program: it ends without an error. */
export const closed = Symbol('closed');

export function openState(
  client: TurnpikeClient,
  plan: QueryPlan,
  { options, isText }: Pick<QueryState, 'options' | 'isText'>,
): QueryState {
  return {
    client,
    options,
    plan,
    isText,
    leaving: new AbortController(),
    total: { costUsd: 0, models: {} },
    sessionId: '',
    cwd: options.cwd ?? '',
    mode: plan.mode,
    model: options.model ?? options.settings?.model,
    turn: undefined,
    interrupting: undefined,
  };
}

import type { ModelList } from '../../../src/client/turnpike-client.js';
import { formatShort, formatUsd } from '../ui/format.js';
import { sessionFacts } from './conversation/session-facts.js';
import type { ShownTurn } from './conversation/shown-turn.js';

/** Model, context and cost of a session, in one line. */
export function SessionMeter({
  turns,
  sessionModel,
  models,
}: {
  turns: readonly ShownTurn[];
  sessionModel: string | undefined;
  models: ModelList | undefined;
}) {
  // Superseded turns have their cost, and no part in the context: they go before the others.
  const views = [
    ...turns.filter(({ supersededBy }) => supersededBy !== undefined),
    ...turns.filter(({ supersededBy }) => supersededBy === undefined),
  ].map(({ view }) => view);
  const { model, contextTokens, contextWindow, usd } = sessionFacts(views, sessionModel, models);
  return (
    <span
      role="group"
      aria-label="Model, context and cost"
      className="grid min-w-0 grid-cols-[minmax(0,12rem)_11rem_5rem] items-center gap-3 text-xs text-muted tabular-nums max-sm:grid-cols-[minmax(0,9rem)_4rem]"
    >
      <span className="truncate">{model}</span>
      {contextTokens !== undefined && (
        <span className="max-sm:hidden" title="Tokens of the context">
          {formatShort(contextTokens)}
          {contextWindow === undefined ? '' : ` of ${formatShort(contextWindow)}`} tokens
        </span>
      )}
      {usd !== undefined && (
        <span className="col-start-3 max-sm:col-start-2" title="Cost of the session's turns">
          {formatUsd(usd)}
        </span>
      )}
    </span>
  );
}

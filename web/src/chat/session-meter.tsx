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
      className="grid shrink-0 grid-cols-[11rem_8.5rem_4rem] items-center gap-x-3 tabular-nums max-lg:grid-cols-[8.5rem_4rem] max-sm:grid-cols-[4rem]"
    >
      <span className="truncate max-lg:hidden">{model}</span>
      {contextTokens !== undefined && (
        <span
          className="col-start-2 max-lg:col-start-1 max-sm:hidden"
          title="Tokens that the next model call starts from"
        >
          Context {formatShort(contextTokens)}
          {contextWindow === undefined ? '' : ` / ${formatShort(contextWindow)}`}
        </span>
      )}
      {usd !== undefined && (
        <span
          className="col-start-3 max-lg:col-start-2 max-sm:col-start-1"
          title="Cost of the session’s turns"
        >
          {formatUsd(usd)}
        </span>
      )}
    </span>
  );
}

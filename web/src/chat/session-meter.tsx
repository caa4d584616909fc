import type { ModelList } from '../../../src/client/turnpike-client.js';
import { formatShort, formatUsd } from '../ui/format.js';
import { sessionFacts } from './conversation/session-facts.js';
import type { ShownTurn } from './conversation/turn-view.js';

/** Cost, model and context of a session, in one line: at its end stands what is always known, and nothing moves. */
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
      className="grid shrink-0 grid-cols-[4rem_auto_8.5rem] items-center gap-x-3 text-right tabular-nums max-lg:grid-cols-[4rem_8.5rem] max-sm:grid-cols-[4rem]"
    >
      <span className="text-left" title="Cost of the session’s turns">
        {usd === undefined ? '' : formatUsd(usd)}
      </span>
      <span className="max-w-48 truncate max-lg:hidden">{model}</span>
      <span className="max-sm:hidden" title="Tokens that the next model call starts from">
        {contextTokens !== undefined &&
          `Context ${formatShort(contextTokens)}${contextWindow === undefined ? '' : ` / ${formatShort(contextWindow)}`}`}
      </span>
    </span>
  );
}

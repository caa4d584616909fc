import { clientNotice, type TurnEventBody } from '../../events/turn-event.js';
import { makerOf } from '../../provider/provider-router.js';
import type { Attempt } from '../state/attempt.js';

/** What only its maker can read. */
const bound: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking', 'opaque']);

/**
 * The notice for a conversation that goes on with a model of another maker, where something of it is for the maker
 * before alone. Pure.
 */
export function makerNotice({ turn, earlier, services }: Attempt): TurnEventBody[] {
  const { makers } = services.config;
  const before = earlier.at(-1);
  if (before === undefined) return [];
  const [from, to] = [before.turn.model, turn.options.options.model].map((name) =>
    makerOf(name, makers),
  );
  const isLeftOut = earlier.some(({ steps }) =>
    steps.some(({ parts }) => parts.some(({ type }) => bound.has(type))),
  );
  if (from === to || !isLeftOut) return [];
  const text = `The conversation goes on with ${to}. What earlier replies thought is for ${from} alone, and is left out; texts, calls and results stay.`;
  return [clientNotice('message', 'maker-changed', text, { from, to })];
}

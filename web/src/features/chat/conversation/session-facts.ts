import type { ListedModel, ModelList } from '#src/client/turnpike-client.js';
import { costOf } from '#src/governance/limits/cost.js';
import { compact } from '#src/platform/compact.js';
import type { TurnView } from './turn-view.js';

/** The model, context and cost of a session. */
export interface SessionFacts {
  /** The model of the latest turn. */
  model?: string;
  /** Tokens that the next model call starts from. */
  contextTokens?: number;
  contextWindow?: number;
  /** US dollars of all turns; absent where the price of a turn is not known. */
  usd?: number;
}

/**
 * A session's model, context and cost, from its turns. Pure.
 *
 * @param views oldest first.
 * @param sessionModel for turns without a model of their own.
 */
export function sessionFacts(
  views: readonly TurnView[],
  sessionModel: string | undefined,
  list: ModelList | undefined,
): SessionFacts {
  const model = views.findLast((view) => view.model !== undefined)?.model ?? sessionModel;
  const contextTokens = views.findLast((view) => view.contextTokens !== undefined)?.contextTokens;
  const contextWindow = findModel(list, model)?.contextWindow;
  const usd = totalCost(views, sessionModel, list);
  const facts = { contextTokens, contextWindow, usd };
  // Streams name the model `rehearsal`, lists of turns the model that it plays: without the list nobody knows which it is.
  if (list === undefined) return compact(facts);
  const isRehearsal = model !== undefined && list.provider === 'rehearsal';
  return compact({ ...facts, model: isRehearsal ? 'rehearsal' : model });
}

function totalCost(
  views: readonly TurnView[],
  sessionModel: string | undefined,
  list: ModelList | undefined,
): number | undefined {
  // The rehearsal model costs nothing, whatever it plays.
  if (list === undefined || list.provider === 'rehearsal') return undefined;
  let total = 0;
  for (const { usage, model = sessionModel } of views) {
    if (usage === undefined) continue;
    const price = findModel(list, model)?.price;
    if (price === undefined) return undefined;
    total += costOf(usage, price);
  }
  return total;
}

/** Finds a model by its id, or by its id without the date; for `rehearsal`, the default model. */
function findModel(list: ModelList | undefined, name: string | undefined): ListedModel | undefined {
  if (list === undefined || name === undefined) return undefined;
  const modelId = name === 'rehearsal' ? list.defaultModel : name;
  return (
    list.models.find(({ id }) => id === modelId) ??
    list.models.find(({ id }) => id.replace(/-\d{8}$/, '') === modelId)
  );
}

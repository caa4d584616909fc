import type { ListedModel, ModelList } from '../../../../src/client/turnpike-client.js';
import { costOf } from '../../../../src/governance/limits/cost.js';
import type { TurnView } from './turn-view.js';

/** What a session has come to. */
export interface SessionFacts {
  /** Of its latest turn. */
  model?: string;
  /** What the next call starts from. */
  contextTokens?: number;
  contextWindow?: number;
  /** US dollars of its turns; absent where the price of one of them is not known. */
  usd?: number;
}

/**
 * A session's model, context and cost, from its turns. Pure.
 *
 * @param views oldest first.
 * @param sessionModel of the session, for turns that do not say theirs.
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
  return {
    // As the stream calls it: lists of turns name the model that it plays.
    ...(model === undefined ? {} : { model: list?.provider === 'rehearsal' ? 'rehearsal' : model }),
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(usd === undefined ? {} : { usd }),
  };
}

function totalCost(
  views: readonly TurnView[],
  sessionModel: string | undefined,
  list: ModelList | undefined,
): number | undefined {
  // The offline model costs nothing, whichever one it plays.
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

/** By its id, by its id without the date, or the one that the offline model plays. */
function findModel(list: ModelList | undefined, name: string | undefined): ListedModel | undefined {
  if (list === undefined || name === undefined) return undefined;
  const wanted = name === 'rehearsal' ? list.defaultModel : name;
  return (
    list.models.find(({ id }) => id === wanted) ??
    list.models.find(({ id }) => id.replace(/-\d{8}$/, '') === wanted)
  );
}

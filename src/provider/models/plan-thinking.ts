import { efforts, type Effort, type Model } from './model.js';

/** What a turn asks for: thinking or none, or how much of it and whether it is shown. */
export type ThinkingChoice = boolean | { effort?: Effort; display?: ThinkingDisplay };

export type ThinkingDisplay = 'summarized' | 'omitted';

/** What a request says of thinking, in the API's words. Equal for every step of a turn. */
export interface ThinkingPlan {
  /** Absent: the parameter is not sent. */
  thinking?:
    | { type: 'adaptive'; display: ThinkingDisplay }
    | { type: 'enabled'; budget_tokens: number; display?: ThinkingDisplay }
    | { type: 'disabled' }
    | { type: 'between_tools' };
  effort?: Effort;
}

/** Less than this the API refuses as a budget of thinking. */
const LEAST_BUDGET = 1_024;

/**
 * How a model is asked for what a turn wants. A model that takes it decides by itself how much to
 * think; an older one gets half of the reply as a budget. Where thinking cannot be off, the request
 * says nothing of it. Pure.
 *
 * @param most tokens of a reply of the turn, whatever a budget leaves of them.
 */
export function planThinking(
  model: Model,
  choice: ThinkingChoice | undefined,
  most: number,
): ThinkingPlan {
  const isOn = choice === true || typeof choice === 'object';
  const asked = typeof choice === 'object' ? choice : {};
  if (!isOn) return planOff(model);
  const display = asked.display ?? 'summarized';
  if (model.thinking.includes('adaptive')) {
    return { thinking: { type: 'adaptive', display }, ...effortOf(asked.effort, model.efforts) };
  }
  const budget = Math.floor(most / 2);
  const effort = effortOf(asked.effort, model.efforts);
  if (!model.thinking.includes('enabled') || budget < LEAST_BUDGET) return effort;
  // Models that do not take `adaptive` show their thinking unless told otherwise.
  const shown = asked.display === undefined ? {} : { display: asked.display };
  return { thinking: { type: 'enabled', budget_tokens: budget, ...shown }, ...effort };
}

function planOff({ thinking, thinksByDefault }: Model): ThinkingPlan {
  if (thinksByDefault !== 'on') return {};
  if (thinking.includes('disabled')) return { thinking: { type: 'disabled' } };
  return thinking.includes('between_tools') ? { thinking: { type: 'between_tools' } } : {};
}

/** The highest level that the model has and that is not more than what is asked for. */
function effortOf(asked: Effort | undefined, levels: readonly Effort[]): { effort?: Effort } {
  if (asked === undefined || levels.length === 0) return {};
  const most = efforts.indexOf(asked);
  const effort = levels.findLast((level) => efforts.indexOf(level) <= most);
  return effort === undefined ? {} : { effort };
}

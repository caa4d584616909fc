import {
  efforts,
  type Effort,
  type ThinkingChoice,
  type ThinkingDisplay,
} from '../storage/shapes/stored-options.js';
import { compact } from '../platform/compact.js';
import { isPlainObject } from '../platform/json.js';
import type { Model } from './model.js';

/** The thinking parameters of a request, in the API's words. Equal for every step of a turn. */
export interface ThinkingPlan {
  /** Absent: the parameter is not sent. */
  thinking?:
    | { type: 'adaptive'; display: ThinkingDisplay }
    | { type: 'enabled'; budget_tokens: number; display?: ThinkingDisplay }
    | { type: 'disabled' }
    | { type: 'between_tools' };
  effort?: Effort;
}

/** The smallest budget of thinking that the API takes. */
const MIN_BUDGET = 1_024;

/**
 * The thinking parameters for what a turn asks for. A model with `adaptive` decides by itself how
 * much to think; an older one gets half of the reply as a budget. Where thinking cannot be off, no
 * parameter is sent. Pure.
 *
 * @param most tokens of a reply of the turn, before any budget limits it.
 */
export function planThinking(
  model: Model,
  choice: ThinkingChoice | undefined,
  most: number,
): ThinkingPlan {
  const isOn = choice === true || typeof choice === 'object';
  const requested = typeof choice === 'object' ? choice : {};
  if (!isOn) return planOff(model);
  const display = requested.display ?? 'summarized';
  if (model.thinking.includes('adaptive')) {
    return {
      thinking: { type: 'adaptive', display },
      ...effortOf(requested.effort, model.efforts),
    };
  }
  const budget = Math.floor(most / 2);
  const effort = effortOf(requested.effort, model.efforts);
  if (!model.thinking.includes('enabled') || budget < MIN_BUDGET) return effort;
  // Models without `adaptive` show their thinking by default.
  const shown = compact({ display: requested.display });
  return { thinking: { type: 'enabled', budget_tokens: budget, ...shown }, ...effort };
}

function planOff({ thinking, thinksByDefault }: Model): ThinkingPlan {
  if (thinksByDefault !== 'on') return {};
  if (thinking.includes('disabled')) return { thinking: { type: 'disabled' } };
  return thinking.includes('between_tools') ? { thinking: { type: 'between_tools' } } : {};
}

/** The highest effort of the model that is not above the one asked for. */
function effortOf(requested: Effort | undefined, levels: readonly Effort[]): { effort?: Effort } {
  if (requested === undefined || levels.length === 0) return {};
  const most = efforts.indexOf(requested);
  const effort = levels.findLast((level) => efforts.indexOf(level) <= most);
  return compact({ effort });
}

const displays = ['summarized', 'omitted'] as const;

/** Parses `true`, `false` or `{effort?, display?}`; undefined for any other value or field. */
export function parseThinking(value: unknown): ThinkingChoice | undefined {
  if (typeof value === 'boolean') return value;
  if (!isPlainObject(value)) return undefined;
  const { effort, display, ...others } = value;
  const level = efforts.find((known) => known === effort);
  const shown = displays.find((known) => known === display);
  const isKnown =
    Object.keys(others).length === 0 &&
    (effort === undefined || level !== undefined) &&
    (display === undefined || shown !== undefined);
  if (!isKnown) return undefined;
  return compact({ effort: level, display: shown });
}

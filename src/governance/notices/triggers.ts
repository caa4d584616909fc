import type { Trigger } from './trigger.js';
import { contextUsage, resourceUsage } from './triggers/usage.js';
import {
  backgroundResult,
  compactSummary,
  filesKept,
  sessionChange,
  sessionStart,
  todoReminder,
} from './triggers/conversation.js';
import {
  costLimit,
  iterationLimit,
  timeLimit,
  tokenLimit,
  errorStreak,
  noProgressNudge,
} from './triggers/limits.js';

/** The built-in triggers. */
export const defaultTriggers: readonly Trigger[] = [
  noProgressNudge,
  errorStreak,
  timeLimit,
  iterationLimit,
  tokenLimit,
  costLimit,
  contextUsage,
  resourceUsage,
  filesKept,
  sessionChange,
  compactSummary,
  sessionStart,
  backgroundResult,
  todoReminder,
];

/** The table of triggers in the documentation. */
export function triggerTable(): Pick<Trigger, 'id' | 'levels' | 'description' | 'rearms'>[] {
  return defaultTriggers.map(({ id, levels, description, rearms }) => ({
    id,
    levels,
    description,
    rearms,
  }));
}

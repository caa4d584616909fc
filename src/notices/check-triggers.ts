import type { Notice } from './notice.js';
import type { Facts, Trigger } from './trigger.js';

/**
 * The notices that are due, most urgent first: those of the enabled triggers of this level whose mark has
 * not fired in this turn. A trigger that throws is reported to `onError` and skipped, and the turn goes
 * on.
 */
export function checkTriggers(
  triggers: readonly Trigger[],
  facts: Facts,
  onError: (trigger: string, error: unknown) => void,
): Notice[] {
  const due = triggers
    .filter(({ enabled, levels }) => enabled && levels.includes(facts.at))
    .flatMap((trigger) => checkOne(trigger, facts, onError));
  const fresh = due.filter(
    ({ mark }, index) =>
      !facts.fired.has(mark) && due.findIndex((other) => other.mark === mark) === index,
  );
  return fresh.sort((a, b) => a.urgency - b.urgency);
}

function checkOne(
  { id, priority, check }: Trigger,
  facts: Facts,
  onError: (trigger: string, error: unknown) => void,
): Notice[] {
  try {
    return check(facts).map((notice) => ({ ...notice, level: facts.at, urgency: priority }));
  } catch (error) {
    onError(id, error);
    return [];
  }
}

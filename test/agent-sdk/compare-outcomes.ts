import type { Outcome } from './normalise.js';
import { isJson } from './scripted-messages.js';

/** A place in an outcome where two differ: the aspect, and a sentence. */
export interface Difference {
  aspect: string;
  says: string;
}

/** Where ours differs from the real one. The order of keys does not count; that of lists does. */
export function compareOutcomes(real: Outcome, ours: Outcome): Difference[] {
  const aspects = [...new Set([...Object.keys(real), ...Object.keys(ours)])];
  return aspects.flatMap((aspect) =>
    differences(real[aspect], ours[aspect], aspect).map((says) => ({ aspect, says })),
  );
}

function differences(real: unknown, ours: unknown, at: string): string[] {
  if (Array.isArray(real) && Array.isArray(ours)) {
    const length = Math.max(real.length, ours.length);
    return Array.from({ length }, (_, index) =>
      differences(real[index], ours[index], `${at}[${index}]`),
    ).flat();
  }
  if (isJson(real) && isJson(ours)) {
    const keys = [...new Set([...Object.keys(real), ...Object.keys(ours)])];
    return keys.flatMap((key) => differences(real[key], ours[key], `${at}.${key}`));
  }
  return real === ours ? [] : [`${at} is ${show(ours)}; the real one has ${show(real)}`];
}

function show(value: unknown): string {
  return value === undefined ? 'not there' : JSON.stringify(value);
}

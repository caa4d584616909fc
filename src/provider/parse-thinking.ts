import { compact } from '../platform/compact.js';
import { isPlainObject } from '../platform/json.js';
import { efforts, type ThinkingChoice } from '../storage/shapes/stored-thinking.js';

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

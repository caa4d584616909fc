import type { JsonObject, JsonValue } from '../../platform/json.js';
import type { Directive } from '../directives/parse-directives.js';
import type { ReplyBlock } from './reply-plan.js';
import { printJson } from '../../platform/exact-json.js';

const fragmentLength = 20;

/** The tool calls of a step: of `tool` in its own or the first, of `loop` in the first `steps`. */
export function planCalls(
  directives: readonly Directive[],
  step: number,
  newId: (prefix: string) => string,
): ReplyBlock[] {
  const fragments = directives.find((directive) => directive.name === 'args')?.count;
  return directives.flatMap((directive): ReplyBlock[] => {
    const due =
      (directive.name === 'tool' && step === (directive.step ?? 1)) ||
      (directive.name === 'loop' && step <= directive.steps);
    if (!due) return [];
    const input = directive.name === 'loop' ? fillStep(directive.input, step) : directive.input;
    return [
      {
        type: 'tool_use',
        id: newId('toolu'),
        name: directive.tool,
        input,
        deltas: splitInput(input, fragments),
      },
    ];
  });
}

/**
 * Splits the input's JSON into `count` fragments of nearly equal length, by default of about 20
 * characters. An empty input is one empty fragment, as in the API.
 */
export function splitInput(input: JsonObject, count?: number): string[] {
  if (Object.keys(input).length === 0) return [''];
  const characters = Array.from(printJson(input));
  const wanted = count ?? Math.ceil(characters.length / fragmentLength);
  const pieces = Math.min(wanted, characters.length);
  return Array.from({ length: pieces }, (_, index) => {
    const start = Math.floor((index * characters.length) / pieces);
    const end = Math.floor(((index + 1) * characters.length) / pieces);
    return characters.slice(start, end).join('');
  });
}

function fillStep(input: JsonObject, step: number): JsonObject {
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [key, fillValue(value, step)]),
  );
}

function fillValue(value: JsonValue, step: number): JsonValue {
  if (typeof value === 'string') return value.replaceAll('$i', String(step));
  if (Array.isArray(value)) return value.map((item) => fillValue(item, step));
  return typeof value === 'object' && value !== null ? fillStep(value, step) : value;
}

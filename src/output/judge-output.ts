import { cutText } from '../platform/text/cut-text.js';
import { jsonBody } from '../platform/text/json-body.js';
import { JsonMeter } from '../platform/text/json-meter.js';
import type { InputCheck } from '../platform/check-input.js';
import type { JsonObject } from '../platform/json.js';
import { runBounded, TooLongError } from '../platform/run-bounded.js';
import { storableJson } from '../storage/storable.js';

/** The object of a reply, or its faults in words. */
export type JudgedOutput = { output: JsonObject } | { faults: string };

/** Bounds of an object. A longer one has no reader that shows it, and deep ones overflow the stack. */
const limits = { levels: 100, keys: 10_000, values: 100_000 };
/** Longest time of a check, in ms: a pattern or a schema may take for ever on some texts. */
const CHECK_MS = 1_000;
const longestFaults = 1_000;

/**
 * Judges a reply's text by a schema: the object, if it is one and nothing else, or its faults. Any text
 * is judged in limited time.
 */
export function judgeOutput(text: string, check: InputCheck): JudgedOutput {
  const body = jsonBody(text);
  if (body === '') return { faults: 'the reply is empty' };
  if (new JsonMeter(limits).add(Buffer.from(body)) !== undefined) {
    const { levels, keys, values } = limits;
    const most = `${levels} levels, ${keys} keys of an object and ${values} values`;
    return { faults: `it is larger than ${most}` };
  }
  const parsed = parse(body);
  if ('faults' in parsed) return parsed;
  try {
    const checked = runBounded(() => check(storableJson(parsed.value)), CHECK_MS);
    return checked.ok
      ? { output: checked.input }
      : { faults: cutText(checked.message, longestFaults) };
  } catch (error) {
    if (!(error instanceof TooLongError)) throw error;
    return { faults: `its check by the schema was stopped: ${error.message}` };
  }
}

function parse(body: string): { value: unknown } | { faults: string } {
  try {
    return { value: JSON.parse(body) };
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : String(error);
    return { faults: cutText(`it is not JSON (${reason})`, longestFaults) };
  }
}

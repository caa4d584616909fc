import { cutText } from '../platform/text/cut-text.js';
import { jsonBody } from '../platform/text/json-body.js';
import { JsonMeter } from '../platform/text/json-meter.js';
import type { CheckedInput } from '../platform/check-input.js';
import { parseJson } from '../platform/exact-json.js';
import type { JsonObject } from '../platform/json.js';
import { storableJson } from '../storage/connection.js';
import { CheckStoppedError } from './schema-checks.js';

/** Checks a value by a schema. @throws CheckStoppedError when it takes too long. */
export type OutputCheck = (value: unknown) => Promise<CheckedInput>;

/** The object of a reply, or its faults in words. */
export type JudgedOutput = { output: JsonObject } | { faults: string };

/** Bounds of an object. A longer one has no reader that shows it, and deep ones overflow the stack. */
const limits = { levels: 100, keys: 10_000, values: 100_000 };
const longestFaults = 1_000;

/**
 * Judges a reply's text by a schema: the object, if it is one and nothing else, or its faults. Any text
 * is judged in limited time, and what takes long is not on this thread.
 */
export async function judgeOutput(text: string, check: OutputCheck): Promise<JudgedOutput> {
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
    const checked = await check(storableJson(parsed.value));
    return checked.ok
      ? { output: checked.input }
      : { faults: cutText(checked.message, longestFaults) };
  } catch (error) {
    if (!(error instanceof CheckStoppedError)) throw error;
    return { faults: `its check by the schema was stopped: ${error.message}` };
  }
}

function parse(body: string): { value: unknown } | { faults: string } {
  try {
    return { value: parseJson(body) };
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : String(error);
    return { faults: cutText(`it is not JSON (${reason})`, longestFaults) };
  }
}

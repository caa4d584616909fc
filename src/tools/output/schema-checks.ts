import { createHash } from 'node:crypto';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { CheckedInput } from '../../platform/json-schema/check-input.js';
import { type JsonObject, isPlainObject } from '../../platform/json.js';
import { cutText } from '../../platform/text/cut-text.js';
import { jsonBody, JsonMeter } from '../../platform/text/json-text.js';
import { parseJson } from '../../platform/exact-json.js';
import { storableJson } from '../../storage/connection.js';
import type { OutputTerms } from '../../storage/shapes/stored-options.js';
import { hasDeepPattern } from '../../platform/json-schema/references.js';
import { findSchemaFault } from '../../platform/json-schema/schema-fault.js';
import { CheckLane, type CheckAnswer, type CheckJob } from './check-lane.js';

/** Time that nearly every check needs no more of, and the longest time of one, in ms. */
const QUICK_MS = 100;
const MAX_MS = 1_000;
/** Schemas of slow checks that are remembered. */
const MAX_SLOW_SCHEMAS = 1_000;

/** A check that was ended: it took too long, or too much memory. Its message says which. */
export class CheckStoppedError extends Error {
  override readonly name = 'CheckStoppedError';
}

/**
 * Compiles schemas that others send, and checks values by them, in threads: their patterns would hold the event loop.
 * A check that is not quick is made again in a thread of slow ones, where it waits for those alone.
 */
@Injectable()
export class SchemaChecks implements OnModuleDestroy {
  readonly #quick = new CheckLane();
  readonly #slow = new CheckLane();
  /** Digests of schemas with a check that was not quick. */
  readonly #slowSchemas = new Set<string>();

  /** @throws Error for a schema that cannot be compiled; CheckStoppedError for one that takes too long. */
  async compile(schema: JsonObject): Promise<void> {
    const answer = await this.#ask({ schema: JSON.stringify(schema) });
    if (answer.type === 'invalid') throw new Error(answer.message);
    if (answer.type === 'stopped') throw new CheckStoppedError(answer.message);
  }

  /** @throws CheckStoppedError for a check that takes too long; Error for a schema that cannot be compiled. */
  async check(schema: JsonObject, value: unknown): Promise<CheckedInput> {
    const answer = await this.#ask({ schema: JSON.stringify(schema), value });
    if (answer.type === 'checked') return answer.checked;
    const { message } = answer.type === 'compiled' ? { message: 'it was not made' } : answer;
    throw answer.type === 'invalid' ? new Error(message) : new CheckStoppedError(message);
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all([this.#quick.close(), this.#slow.close()]);
  }

  async #ask(job: Omit<CheckJob, 'ms'>): Promise<CheckAnswer> {
    const digest = createHash('sha256').update(job.schema).digest('base64');
    if (!this.#slowSchemas.has(digest)) {
      const answer = await this.#quick.ask({ ...job, ms: QUICK_MS });
      if (answer.type !== 'stopped') return answer;
      this.#slowSchemas.add(digest);
      for (const oldest of this.#slowSchemas) {
        if (this.#slowSchemas.size <= MAX_SLOW_SCHEMAS) break;
        this.#slowSchemas.delete(oldest);
      }
    }
    return this.#slow.ask({ ...job, ms: MAX_MS });
  }
}

/** Checks a value by a schema. @throws CheckStoppedError when it takes too long. */
export type OutputCheck = (value: unknown) => Promise<CheckedInput>;

/** The object of a reply, or its faults in words. */
export type JudgedOutput = { output: JsonObject } | { faults: string };

/** Bounds of an object. A longer one has no reader that shows it, and deep ones overflow the stack. */
const limits = { levels: 100, keys: 10_000, values: 100_000 };
const MAX_FAULTS_CHARS = 1_000;

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
      : { faults: cutText(checked.message, MAX_FAULTS_CHARS) };
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
    return { faults: cutText(`it is not JSON (${reason})`, MAX_FAULTS_CHARS) };
  }
}

/** Most characters of a schema as JSON: it is stored with the turn, and sent with each of its calls. */
const MAX_SCHEMA_CHARS = 32_768;
/** Groups of a pattern inside of each other: the engine aborts the process at a few thousand. */
const MAX_NESTED_GROUPS = 100;
const MAX_REPAIRS = 5;
const standardRepairs = 1;

export const outputExpected = `an object of schema, a JSON Schema of an object in at most ${MAX_SCHEMA_CHARS} characters, and repairs, a whole number from 0 to ${MAX_REPAIRS}`;

/** A fault that completes "must be …", and the JSON pointer to its place in `opts.output`. */
export interface OutputFault {
  fault: string;
  pointer: string;
}

/**
 * Parses `opts.output`. The schema is one of draft 2020-12, or of draft 7 where `$schema` says so, and
 * refers to nothing outside. `format` is taken and not checked, as both drafts have it.
 */
export function parseOutput(value: unknown): { output: OutputTerms } | OutputFault {
  if (!isPlainObject(value)) return { fault: outputExpected, pointer: '' };
  const { schema, repairs = standardRepairs, ...others } = value;
  const [odd] = Object.keys(others);
  if (odd !== undefined) return wrong('', `it has a field ${JSON.stringify(odd.slice(0, 60))}`);
  if (!isRepairs(repairs)) return wrong('/repairs', 'repairs is not such a number');
  if (!isPlainObject(schema)) return wrong('/schema', 'schema is no object');
  // Request bodies and agents' files are JSON, and so is what can be stored of them.
  const storable = storableJson(schema) as JsonObject;
  if (JSON.stringify(storable).length > MAX_SCHEMA_CHARS) {
    return wrong('/schema', `schema has more than ${MAX_SCHEMA_CHARS} characters`);
  }
  if ('$async' in storable) return wrong('/schema/$async', 'schema has $async');
  const fault = findSchemaFault(storable);
  if (fault !== undefined) {
    return wrong(`/schema${fault.pointer}`, `schema is not valid: ${fault.message}`);
  }
  if (hasDeepPattern(storable, MAX_NESTED_GROUPS)) {
    return wrong(
      '/schema',
      `a pattern has more than ${MAX_NESTED_GROUPS} groups inside of each other`,
    );
  }
  return { output: { schema: storable, repairs } };
}

function isRepairs(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_REPAIRS;
}

function wrong(pointer: string, what: string): OutputFault {
  return { fault: `${outputExpected}; ${what}`, pointer };
}

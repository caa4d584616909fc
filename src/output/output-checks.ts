import { Injectable } from '@nestjs/common';
import { compileObjectCheck, type InputCheck } from '../platform/check-input.js';
import type { JsonObject } from '../platform/json.js';
import { runBounded } from '../platform/run-bounded.js';

/** Most characters of the schemas whose checks are kept; those that were used last are. */
const keptChars = 262_144;
/** Longest time that a schema may take to compile, in ms. */
const COMPILE_MS = 1_000;

/** Compiles the schemas of outputs, and keeps the checks: turns ask for few schemas, many times. */
@Injectable()
export class OutputChecks {
  readonly #checks = new Map<string, InputCheck>();
  #chars = 0;

  /** @throws Error for a schema that cannot be compiled, or takes too long. */
  check(schema: JsonObject): InputCheck {
    const key = JSON.stringify(schema);
    const check =
      this.#checks.get(key) ??
      runBounded(() => compileObjectCheck(schema, 'the object'), COMPILE_MS);
    if (this.#checks.delete(key)) this.#chars -= key.length;
    this.#checks.set(key, check);
    this.#chars += key.length;
    for (const oldest of this.#checks.keys()) {
      if (this.#chars <= keptChars) break;
      this.#checks.delete(oldest);
      this.#chars -= oldest.length;
    }
    return check;
  }
}

import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../platform/json.js';
import { OutputChecks } from './output-checks.js';

const schema = (title: string): JsonObject => ({ type: 'object', title, required: ['a'] });

describe('OutputChecks', () => {
  it('compiles a schema once, whoever asks for it', () => {
    const checks = new OutputChecks();
    const check = checks.check(schema('one'));
    expect(checks.check(schema('one'))).toBe(check);
    expect(check({})).toEqual({ ok: false, message: 'a is required' });
  });

  it('keeps those that were used last, within its bound', () => {
    const checks = new OutputChecks();
    const large = (name: string) => schema(name.padEnd(30_000));
    const first = checks.check(large('first'));
    const second = checks.check(large('second'));
    for (let index = 0; index < 7; index += 1) {
      checks.check(large(`other ${index}`));
      expect(checks.check(large('first'))).toBe(first);
    }
    expect(checks.check(large('second'))).not.toBe(second);
  });

  it('throws for what cannot be compiled', () => {
    const broken = { type: 'object', properties: { a: { type: 'string', pattern: '(' } } };
    expect(() => new OutputChecks().check(broken)).toThrow(/Invalid regular expression/);
  });
});

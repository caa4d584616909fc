import { describe, expect, it } from '@jest/globals';
import * as z from 'zod/mini';
import { parseLeniently, parseValue, nameOf, type Fault } from './parse-value.js';
import { checkedBy, fieldsOf, filledText, parsedBy, wholeNumber } from './shapes.js';

const shape = fieldsOf({
  name: z.exactOptional(filledText()),
  size: z.exactOptional(wholeNumber(1, 9)),
  mode: z.exactOptional(z.enum(['plan', 'direct'])),
  on: z.exactOptional(z.boolean()),
  tags: z.exactOptional(z.array(z.string().check(z.maxLength(5, 'must be short')))),
  below: z.exactOptional(fieldsOf({ deep: z.string() }, 'must be a map, for example {deep: x}')),
  ports: z.exactOptional(z.record(z.string().check(z.regex(/^\w+$/, 'is no name')), z.int())),
  level: z.exactOptional(parsedBy((given) => (given === 'up' ? 1 : undefined), 'must be up')),
  path: z.exactOptional(
    z.string().check(checkedBy((text) => (text === '..' ? 'has ..' : undefined))),
  ),
});

const messages = (faults: readonly Fault[] = []): string[] =>
  faults.map(({ path, message }) => `${nameOf(path)} ${message}`);

describe('parseValue', () => {
  it('gives the value, without fields that have none', () => {
    const given = { name: ' a ', size: 2, tags: ['x'], level: 'up', mode: null };
    expect(parseValue(shape, given)).toEqual({
      value: { name: 'a', size: 2, tags: ['x'], level: 1 },
    });
  });

  it.each([
    [5, ' must be a map, not 5'],
    [{ name: ' ' }, 'name must be text that is not blank, not ""'],
    [{ size: 10 }, 'size must be a whole number from 1 to 9, not 10'],
    [{ size: Infinity }, 'size must be a whole number from 1 to 9, not Infinity'],
    [{ mode: 'x' }, 'mode must be one of plan, direct, not "x"'],
    [{ on: 'yes' }, 'on must be true or false, not "yes"'],
    [{ tags: 'x' }, 'tags must be a list, not "x"'],
    [{ tags: ['longer', 1] }, 'tags.0 must be short, not "longer"', 'tags.1 must be text, not 1'],
    [{ below: [] }, 'below must be a map, for example {deep: x}, not []'],
    [{ below: {} }, 'below.deep is required'],
    [{ ports: { 'a b': 1, c: 'x' } }, 'ports.a b is no name', 'ports.c must be a number, not "x"'],
    [{ level: 'down' }, 'level must be up, not "down"'],
    [{ path: '..' }, 'path has ..'],
    [{ nam: 1 }, 'nam is not a field; did you mean name?'],
    [{ mod: null }, 'mod is not a field; did you mean mode?'],
    [{ below: { deep: 'x', other: 1 } }, 'below.other is not a field; use deep'],
  ])('names all that is wrong with %j', (given, ...faults) => {
    expect(messages(parseValue(shape, given).faults)).toEqual(faults);
  });

  it('cuts long values and names, and hides values where it is told to', () => {
    const long = 'x'.repeat(1_000);
    const [fault = ''] = messages(parseValue(shape, { on: long, [long]: 1 }).faults);
    expect(fault.length).toBeLessThan(100);
    expect(messages(parseValue(shape, { [long]: 1 }).faults).join().length).toBeLessThan(200);
    const { faults } = parseValue(shape, { on: 'secret' }, { showsGiven: false });
    expect(messages(faults)).toEqual(['on must be true or false']);
  });
});

describe('parseLeniently', () => {
  it('leaves out what is wrong, and nothing beside it', () => {
    const given = { name: 'a', size: 0, tags: ['x', 1, 'y'], ports: { a: 1, b: '' }, other: {} };
    const { value, faults } = parseLeniently(shape, given);
    expect(value).toEqual({ name: 'a', tags: ['x', 'y'], ports: { a: 1 } });
    expect(messages(faults)).toHaveLength(4);
  });

  it('finds what other faults hid', () => {
    const few = z.refine<object>((map) => Object.keys(map).length < 3, 'must have 2 entries');
    const counts = z.prefault(z.record(z.string(), z.int()).check(few), {});
    const { value, faults } = parseLeniently(counts, { a: 1, b: 2, c: 3, d: 'x' });
    expect(value).toEqual({});
    expect(messages(faults)).toEqual(['d must be a number, not "x"', ' must have 2 entries']);
  });

  it('takes the default where all of it is wrong', () => {
    expect(parseLeniently(z.prefault(shape, {}), 5)).toMatchObject({ value: {} });
  });
});

import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../json.js';
import { checkContent, readForm } from './form.js';
import { plainForm } from './plain-form.js';

const one = (field: object, more: object = {}) =>
  plainForm({ type: 'object', properties: { a: field }, ...more });
/** The field in plain words. */
const plain = (field: object, more: object = {}): unknown => {
  const form = one(field, more);
  if ('fault' in form) throw new Error(form.fault);
  return (form.schema['properties'] as JsonObject)['a'];
};
const defs = {
  $defs: {
    Priority: { enum: ['low', 'high'], title: 'Priority', type: 'string' },
    Maybe: { anyOf: [{ $ref: '#/$defs/Priority' }, { type: 'null' }] },
    Round: { $ref: '#/$defs/Back' },
    Back: { $ref: '#/$defs/Round' },
  },
  definitions: { Size: { enum: [1, 2, 3] } },
};
const priority = { type: 'string', enum: ['low', 'high'], title: 'Priority' };

describe('a form as servers write it', () => {
  it.each<[string, object, object]>([
    [
      'a plain text',
      { type: 'string', pattern: '^x', minLength: 2 },
      { type: 'string', pattern: '^x', minLength: 2 },
    ],
    [
      'null in a union',
      { anyOf: [{ type: 'string' }, { type: 'null' }], default: null, title: 'A' },
      { type: 'string', title: 'A' },
    ],
    [
      'a union of one',
      { oneOf: [{ type: 'integer', minimum: 1 }] },
      { type: 'integer', minimum: 1 },
    ],
    ['types with null', { type: ['null', 'boolean'] }, { type: 'boolean' }],
    ['nullable of OpenAPI', { type: 'string', nullable: true }, { type: 'string' }],
    [
      'choices with null',
      { enum: ['s', null, 'm'], enumNames: ['Small', 'None', 'Medium'] },
      { type: 'string', enum: ['s', 'm'], enumNames: ['Small', 'Medium'] },
    ],
    ['a reference', { $ref: '#/$defs/Priority' }, priority],
    [
      'a reference with words of its own',
      { $ref: '#/$defs/Priority', title: 'How soon', default: 'low' },
      { ...priority, title: 'How soon', default: 'low' },
    ],
    ['a reference to a union', { $ref: '#/$defs/Maybe' }, priority],
    [
      'allOf of one',
      { allOf: [{ $ref: '#/$defs/Priority' }], default: 'high' },
      { ...priority, default: 'high' },
    ],
    [
      'allOf of several that agree',
      { allOf: [{ type: 'string' }, { type: 'string', maxLength: 3 }] },
      { type: 'string', maxLength: 3 },
    ],
    ['a constant', { const: 'a', title: 'Kind' }, { type: 'string', enum: ['a'], title: 'Kind' }],
    ['choices of numbers', { $ref: '#/definitions/Size' }, { type: 'integer', enum: [1, 2, 3] }],
    ['choices of numbers with fractions', { enum: [0.5, 1] }, { type: 'number', enum: [0.5, 1] }],
    ['choices of true and false', { enum: [true, false] }, { type: 'boolean' }],
    ['choices of several types', { enum: ['auto', 1] }, { enum: ['auto', 1] }],
    [
      'titled choices',
      { oneOf: [{ const: 'l', title: 'Low' }, { const: 'h' }] },
      {
        type: 'string',
        oneOf: [
          { const: 'l', title: 'Low' },
          { const: 'h', title: 'h' },
        ],
      },
    ],
    [
      'titled choices and null',
      { anyOf: [{ const: 'l', title: 'Low' }, { const: 'h', title: 'High' }, { const: null }] },
      {
        type: 'string',
        oneOf: [
          { const: 'l', title: 'Low' },
          { const: 'h', title: 'High' },
        ],
      },
    ],
    [
      'choices of two lists',
      { anyOf: [{ enum: ['a'] }, { enum: ['b', 'c'] }] },
      { type: 'string', enum: ['a', 'b', 'c'] },
    ],
    [
      'text or a number',
      { anyOf: [{ type: 'integer' }, { type: 'string', maxLength: 9 }] },
      { type: 'string', maxLength: 9 },
    ],
    ['a number or an object', { type: ['object', 'number'] }, { type: 'number' }],
    ['a format that nobody knows', { type: 'string', format: 'time' }, { type: 'string' }],
    [
      'a format that is known',
      { type: 'string', format: 'date' },
      { type: 'string', format: 'date' },
    ],
    [
      'a number of 32 bits',
      { type: 'integer', format: 'int32', exclusiveMinimum: 0 },
      { type: 'integer', minimum: 1 },
    ],
    [
      'a default that does not fit',
      { type: 'integer', minimum: 1, default: 0 },
      { type: 'integer', minimum: 1 },
    ],
    [
      'a list of a choice',
      { type: 'array', items: { $ref: '#/$defs/Priority' }, default: ['low'] },
      { type: 'array', items: priority, default: ['low'] },
    ],
    [
      'a list of titled choices',
      { type: 'array', items: { anyOf: [{ const: 'x', title: 'X' }] } },
      { type: 'array', items: { type: 'string', enum: ['x'], title: 'X' } },
    ],
  ])('is made plain: %s', (_what, field, expected) => {
    expect(plain(field, defs)).toEqual(expected);
    // What is plain stays as it is.
    expect(plain(expected)).toEqual(expected);
  });

  it('has a root behind a reference, or without a type', () => {
    const form = { type: 'object', properties: { a: { type: 'string' } }, title: 'Form' };
    const expected = { schema: { ...form, required: [] }, nullable: [] };
    expect(plainForm({ $ref: '#/$defs/Form', $defs: { Form: form } })).toEqual(expected);
    expect(plainForm({ properties: form.properties, title: 'Form' })).toEqual(expected);
    expect(plainForm({ ...form, required: null })).toEqual(expected);
    expect(plainForm({ type: 'object', properties: null })).toMatchObject({ nullable: [] });
  });

  it('says which of its required fields may be null: they may be left empty', () => {
    const given = {
      type: 'object',
      properties: {
        a: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        b: { type: ['integer', 'null'] },
        c: { type: 'string' },
        d: { enum: ['x', null] },
        e: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      },
      required: ['a', 'b', 'c', 'd'],
    };
    expect(plainForm(given)).toMatchObject({
      schema: { required: ['c'] },
      nullable: ['a', 'b', 'd'],
    });
  });

  it.each<[string, object, string]>([
    ['nothing but null', { type: 'null' }, 'its field "a" can be nothing but null'],
    ['a union of nothing', { anyOf: [{ const: null }] }, 'its field "a" can be nothing but null'],
    [
      'a lost reference',
      { $ref: '#/$defs/None' },
      'its field "a" refers to #/$defs/None, which is not in the form',
    ],
    [
      'a reference to elsewhere',
      { $ref: 'https://example.com/a' },
      'its field "a" refers to https://example.com/a, which is not in the form',
    ],
    ['a circle', { $ref: '#/$defs/Round' }, 'its field "a" refers to itself'],
    [
      'rules that differ',
      { allOf: [{ type: 'string' }, { type: 'integer' }] },
      'its field "a" has two rules for type',
    ],
    [
      'an object',
      { type: 'object' },
      'its field "a" is none of text, number, yes or no, or a choice',
    ],
    ['anything', {}, 'its field "a" is none of text, number, yes or no, or a choice'],
    [
      'a list of texts',
      { type: 'array', items: { type: 'string' } },
      'its field "a" is a list, but not one of choices that are texts',
    ],
    [
      'a secret behind a reference',
      { $ref: '#/$defs/Secret', $defs: {} },
      'its field "a" asks for a secret',
    ],
  ])('is refused with the name of its field: %s', (_what, field, fault) => {
    const $defs = { ...defs.$defs, Secret: { type: 'string', format: 'password' } };
    const form = one(field, { $defs });
    expect(form).toEqual({ fault: expect.stringContaining(fault) });
    expect(JSON.stringify(form).length).toBeLessThan(200);
  });

  it('is looked at in a bounded number of parts, whatever its definitions refer to', () => {
    const $defs: Record<string, object> = { D0: { type: 'string' } };
    for (let n = 1; n < 14; n += 1) {
      const below = { $ref: `#/$defs/D${n - 1}` };
      $defs[`D${n}`] = { anyOf: [below, below] };
    }
    const properties = { many: { $ref: '#/$defs/D13' }, next: { type: 'string' } };
    expect(plainForm({ type: 'object', properties, $defs })).toEqual({
      fault: 'its field "next" refers to too many definitions',
    });
  });

  it('checks what it is filled in with by its own rules', () => {
    const given = {
      type: 'object',
      properties: {
        size: { enum: [1, 2] },
        rate: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
        kind: { const: 'x' },
      },
    };
    const made = plainForm(given);
    if ('fault' in made) throw new Error(made.fault);
    const form = readForm(made.schema);
    if ('fault' in form) throw new Error(form.fault);
    const fits = { size: 2, rate: 0.5, kind: 'x' };
    expect(checkContent(form, fits)).toEqual({ content: fits });
    expect(checkContent(form, { size: 3, rate: 0, kind: 'y' })).toEqual({
      faults: {
        size: 'must be one of 1, 2',
        rate: 'must be more than 0',
        kind: 'must be one of x',
      },
    });
    expect(checkContent(form, { rate: 1, size: null })).toEqual({
      faults: { rate: 'must be less than 1' },
    });
  });
});

import { describe, expect, it } from '@jest/globals';
import { checkContent, readForm, type Form } from './form.js';

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Your name', minLength: 2, maxLength: 10 },
    mail: { type: 'string', format: 'email' },
    site: { type: 'string', format: 'uri' },
    day: { type: 'string', format: 'date' },
    at: { type: 'string', format: 'date-time' },
    count: { type: 'integer', minimum: 1, maximum: 3, default: 2 },
    weight: { type: 'number' },
    gift: { type: 'boolean', default: false },
    size: { type: 'string', enum: ['s', 'm'], enumNames: ['Small', 'Medium'], default: 'm' },
    colour: {
      type: 'string',
      oneOf: [
        { const: 'r', title: 'Red' },
        { const: 'g', title: 'Green' },
      ],
    },
    extras: {
      type: 'array',
      minItems: 1,
      maxItems: 2,
      items: { anyOf: [{ const: 'a', title: 'A bow' }, { const: 'b' }, { const: 'c' }] },
    },
    tags: { type: 'array', items: { type: 'string', enum: ['x', 'y'] }, default: ['x'] },
  },
  required: ['name', 'count'],
};

function formOf(given: unknown): Form {
  const form = readForm(given);
  if ('fault' in form) throw new Error(form.fault);
  return form;
}

describe('the schema of a form', () => {
  it('is read with titles, choices, bounds and defaults', () => {
    const { fields } = formOf(schema);
    const of = (name: string) => fields.find((field) => field.name === name);
    expect(fields.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      'name text',
      'mail text',
      'site text',
      'day text',
      'at text',
      'count integer',
      'weight number',
      'gift yes-no',
      'size choice',
      'colour choice',
      'extras choices',
      'tags choices',
    ]);
    expect(of('name')).toMatchObject({ title: 'Your name', isRequired: true, least: 2, most: 10 });
    expect(of('mail')).toMatchObject({ title: 'mail', isRequired: false, format: 'email' });
    expect(of('size')).toMatchObject({
      standard: 'm',
      options: [
        { value: 's', title: 'Small' },
        { value: 'm', title: 'Medium' },
      ],
    });
    expect(of('extras')?.options.map(({ title }) => title)).toEqual(['A bow', 'b', 'c']);
  });

  it.each<[string, unknown, string]>([
    ['no object', { type: 'string' }, 'not one of an object'],
    ['no fields', { type: 'object', properties: [] }, 'no list of fields'],
    ['an object inside', { type: 'object', properties: { a: { type: 'object' } } }, '"a" is none'],
    [
      'a list of texts',
      { type: 'object', properties: { a: { type: 'array', items: {} } } },
      'list',
    ],
    [
      'an odd choice',
      { type: 'object', properties: { a: { type: 'string', enum: [1] } } },
      'fit its type',
    ],
    ['no choice', { type: 'object', properties: { a: { type: 'string', enum: [] } } }, 'no choice'],
    [
      'too many fields',
      {
        type: 'object',
        properties: Object.fromEntries(
          Array.from({ length: 101 }, (_, n) => [`f${n}`, { type: 'string' }]),
        ),
      },
      'more than 100',
    ],
  ])('is refused with %s', (_what, given, fault) => {
    expect(readForm(given)).toEqual({ fault: expect.stringContaining(fault) });
  });

  it('has no standard value where the default does not fit', () => {
    for (const standard of ['x', 1.5, null, [1]]) {
      const property = { type: 'integer', default: standard };
      const { fields } = formOf({ type: 'object', properties: { a: property }, required: ['a'] });
      expect(fields[0]).not.toHaveProperty('standard');
      expect(checkContent({ fields }, {})).toEqual({ faults: { a: 'is required' } });
    }
  });

  it.each([
    ['password', {}],
    ['userPassword', {}],
    ['api_key', {}],
    ['x', { title: 'Your access token' }],
    ['x', { title: 'Credit card number' }],
    ['x', { format: 'password' }],
    ['x', { writeOnly: true }],
  ])('is refused where %s (%j) asks for a secret', (name, more) => {
    const given = { type: 'object', properties: { [name]: { type: 'string', ...more } } };
    expect(readForm(given)).toEqual({ fault: expect.stringContaining('asks for a secret') });
  });

  it.each(['tokens', 'secretary', 'keyboard', 'pinned'])(
    'is taken where it asks for %s',
    (name) => {
      const given = { type: 'object', properties: { [name]: { type: 'string' } } };
      expect(readForm(given)).toMatchObject({ fields: [{ name }] });
    },
  );
});

describe('what a form is filled in with', () => {
  it('is taken where it fits, with the standard value of what is required', () => {
    const filled = { name: 'Ann', colour: 'r', extras: ['a', 'c'], gift: true, mail: 'a@b.c' };
    expect(checkContent(formOf(schema), filled)).toEqual({ content: { ...filled, count: 2 } });
  });

  it.each<[Record<string, unknown>, string, string]>([
    [{ name: 'A' }, 'name', 'at least 2 characters'],
    [{ name: 'A'.repeat(11) }, 'name', 'at most 10'],
    [{ name: 1 }, 'name', 'text'],
    [{ mail: 'nobody' }, 'mail', 'e-mail'],
    [{ site: 'here' }, 'site', 'URL'],
    [{ day: 'today' }, 'day', '2026-01-31'],
    [{ at: '2026-01-31' }, 'at', 'T08'],
    [{ count: 1.5 }, 'count', 'whole'],
    [{ count: 9 }, 'count', 'at most 3'],
    [{ count: 0 }, 'count', 'at least 1'],
    [{ weight: Number.NaN }, 'weight', 'number'],
    [{ gift: 'yes' }, 'gift', 'true or false'],
    [{ size: 'xl' }, 'size', 'one of s, m'],
    [{ colour: 'Red' }, 'colour', 'one of r, g'],
    [{ extras: [] }, 'extras', 'at least 1 choice'],
    [{ extras: ['a', 'a'] }, 'extras', 'different'],
    [{ extras: ['a', 'b', 'c'] }, 'extras', 'at most 2'],
    [{ more: 1 }, 'more', 'no field'],
  ])('is refused: %j', (given, name, fault) => {
    expect(checkContent(formOf(schema), { name: 'Ann', ...given })).toEqual({
      faults: { [name]: expect.stringContaining(fault) },
    });
  });

  it('names each field that is wrong', () => {
    expect(checkContent(formOf(schema), { mail: 'x', count: 7 })).toEqual({
      faults: {
        name: 'is required',
        mail: 'must be an e-mail address',
        count: 'must be at most 3',
      },
    });
  });
});

describe('a field that asks for a secret', () => {
  const faultOf = (name: string, property: object): string => {
    const form = readForm({ type: 'object', properties: { [name]: property } });
    return 'fault' in form ? form.fault : '';
  };

  it.each<[string, object?]>([
    ['Passwort'],
    ['p a s s w o r d'],
    ['PIN'],
    ['pin', { type: 'integer' }],
    ['otp'],
    ['one_time_code'],
    ['a', { type: 'string', title: 'Your seed phrase' }],
    ['recoveryCodes'],
    ['contraseña'],
    ['密码'],
    ['a', { type: 'string', description: 'Type your password.' }],
  ])('is refused: %s %j', (name, property = { type: 'string' }) => {
    expect(faultOf(name, property)).toContain('asks for a secret');
  });

  it.each<[string, object]>([
    ['pin', { type: 'boolean', description: 'Keep the message on top, without a password.' }],
    ['security_code', { type: 'string', enum: ['a', 'b'] }],
    ['shipping', { type: 'string', description: 'Where it goes.' }],
    ['opinion', { type: 'string' }],
    ['a b', { type: 'string', title: 'Plan A or B' }],
  ])('is not %s %j', (name, property) => {
    expect(faultOf(name, property)).toBe('');
  });

  it('shows its texts in the order in which they are', () => {
    const title = 'Account\u202e tnuoccA\u2069';
    const { fields } = formOf({ type: 'object', properties: { a: { type: 'string', title } } });
    expect(fields[0]?.title).toBe('Account tnuoccA');
  });
});

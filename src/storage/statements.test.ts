import { describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import * as fc from 'fast-check';
import { bothDatabases } from '../../test/support/database/both-databases.js';
import { unnest } from './statements.js';
import { useDatabase } from '../../test/support/database/database.js';

describe.each(bothDatabases)('rows that are given as one array a column, on %s', (_name, open) => {
  const database = useDatabase(open);

  it('are what was given, whatever the texts have in them', async () => {
    // The server takes no NUL in texts, and half a pair of surrogates is no character.
    const text = fc
      .string({ unit: 'binary' })
      .filter((made) => !made.includes('\0') && made.isWellFormed());
    const awkward = fc.constantFrom(
      '"',
      '\\',
      '\\"',
      '{}',
      'NULL',
      ',',
      '\n\r\t',
      '\u2028',
      "'",
      '',
    );
    const value = fc.oneof(
      text,
      awkward,
      fc.array(awkward).map((parts) => parts.join('')),
    );
    // After an object with the key `\`, JSON.parse of Node 24 reads the key `"` of a like object as `\`.
    const name = value.filter((made) => !made.includes('\\'));
    const json = fc.oneof(fc.constant(null), fc.dictionary(name, value), value, fc.integer());
    const rows = fc.array(fc.tuple(value, json), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(rows, async (given) => {
        const texts = given.map(([key, one]) => [key, one === null ? null : JSON.stringify(one)]);
        const found = await database.db.execute(
          sql`select "key", "value" from ${unnest({ key: 'text', value: 'json' }, texts)}`,
        );
        expect(found.rows).toEqual(given.map(([key, one]) => ({ key, value: one })));
      }),
      { numRuns: 200 },
    );
  });
});

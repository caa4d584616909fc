import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { errorTable, type ErrorCode } from '../../../errors/error-table.js';
import { toProblem } from './problem-details.js';

const explained = readFileSync(
  new URL('../../../../docs/reference/errors.md', import.meta.url),
  'utf8',
);
const headings = new Set(explained.match(/(?<=^## ).+$/gm));

describe.each(Object.keys(errorTable) as ErrorCode[])('the problem of %s', (code) => {
  const problem = toProblem(code, { status: 400, detail: '' });

  it('has a type that leads to its heading', () => {
    expect(headings).toContain(problem.type.slice(problem.type.lastIndexOf('/') + 1));
    expect(explained).toContain(`\`${code}\`, `);
  });
});

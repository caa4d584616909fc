import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { problemCode, problemTitles, toProblem } from './holodeck-problem.js';

const explained = readFileSync(
  new URL('../../../../docs/reference/errors.md', import.meta.url),
  'utf8',
);
const headings = new Set(explained.match(/(?<=^## ).+$/gm));

describe.each(Object.keys(problemTitles))('the problem of %s', (code) => {
  const problem = toProblem(code, { status: 400, detail: '' });

  it('has a type that leads to its heading', () => {
    expect(headings).toContain(problem.type.slice(problem.type.lastIndexOf('/') + 1));
    expect(explained).toContain(`\`${code}\`, `);
  });

  it('has its code', () => {
    expect(problemCode(problem)).toBe(code);
  });
});

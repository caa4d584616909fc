import { describe, expect, it } from '@jest/globals';
import { secretsOf } from './mcp-server.js';
import { parseDefinitions, type DefinitionSource } from './mcp/definitions/parse-definitions.js';

function secrets(given: Record<string, unknown>, source: DefinitionSource = 'file'): string[] {
  const { a } = parseDefinitions({ a: given }, source).value ?? {};
  return a === undefined ? [] : secretsOf(a);
}

describe('secretsOf', () => {
  it('has the headers of a server, and what is behind a scheme', () => {
    const headers = { Authorization: 'Bearer abc', 'X-Words': 'one two three' };
    expect(secrets({ url: 'https://example.com/?key=q', headers })).toEqual([
      'Bearer abc',
      'abc',
      'one two three',
      'q',
    ]);
  });

  it('has the variables that are secrets by their names: a path may be shown', () => {
    const env = { GITHUB_TOKEN: 'abc', ROOT: '/srv/data' };
    expect(secrets({ command: 'x', env })).toEqual(['abc']);
  });

  it('has every variable that a session brings', () => {
    expect(secrets({ command: 'x', env: { ROOT: '/srv/data' } }, 'session')).toEqual(['/srv/data']);
  });
});

import { describe, expect, it } from '@jest/globals';
import { nameOf } from '../../platform/parsing/parse-value.js';
import {
  parseDefinition,
  parseDefinitions,
  secretsOf,
  type DefinitionSource,
} from './definitions.js';

const plain = { trustAnnotations: false, perSession: false, roots: false, protocol: 'auto' };
const http = { kind: 'http', transport: 'streamable', ...plain };

function problemsOf(given: unknown, source: 'file' | 'agent' | 'session' = 'file'): string[] {
  const { faults = [] } = parseDefinitions(given, source);
  return faults.map(({ path, message }) => `${nameOf(path)} ${message}`);
}

describe('parseDefinitions', () => {
  it('reads commands and addresses in the shape that clients of MCP have in common', () => {
    const given = {
      github: { command: 'npx', args: ['-y', 'server'], env: { TOKEN: 'x' }, cwd: '/srv' },
      docs: { type: 'http', url: 'https://mcp.example.com/mcp', headers: { 'X-Key': 'y' } },
      old: { type: 'sse', url: 'https://example.com/sse' },
      bare: { url: 'https://example.com/#part' },
    };
    expect(parseDefinitions(given, 'file')).toEqual({
      value: {
        github: {
          kind: 'stdio',
          ...given.github,
          secretEnv: ['TOKEN'],
          sessionEnv: [],
          ...plain,
        },
        docs: { ...http, url: given.docs.url, headers: given.docs.headers },
        old: { ...http, transport: 'sse', url: 'https://example.com/sse', headers: {} },
        bare: { ...http, url: 'https://example.com/', headers: {} },
      },
    });
  });

  it('takes from any author which tools a search may find', () => {
    const of = (deferred: unknown) => ({ a: { url: 'https://example.com', deferred } });
    for (const source of ['file', 'agent', 'session'] as const) {
      expect(parseDefinitions(of(false), source).value?.['a']).toMatchObject({ deferred: false });
      const some = { create_issue: false };
      expect(parseDefinitions(of(some), source).value?.['a']).toMatchObject({ deferred: some });
    }
    expect(problemsOf(of('no'))).toEqual([
      'a.deferred must be true, false or a map of at most 100 tools to these',
    ]);
  });

  it('lets a server ask the model where the operator or the agent says so, and no session', () => {
    const of = (sampling: unknown) => ({ a: { url: 'https://example.com', sampling } });
    for (const source of ['file', 'agent'] as const) {
      for (const sampling of [true, false, {}, { maxTokens: 1, maxCalls: 1_000 }]) {
        const { value } = parseDefinitions(of(sampling), source);
        expect(value?.['a']).toMatchObject({ sampling });
      }
    }
    expect(problemsOf(of(true), 'session')).toEqual([
      expect.stringMatching(/^a\.sampling is not a field; use /),
    ]);
    expect(problemsOf(of('yes'))).toEqual([
      'a.sampling must be true, false or a map with maxTokens and maxCalls',
    ]);
    expect(problemsOf(of({ model: 'x' }))).toEqual([
      'a.sampling.model is not a field; use maxTokens, maxCalls',
    ]);
    expect(problemsOf(of({ maxTokens: 0 }))).toEqual([
      'a.sampling.maxTokens must be a number from 1 to 100000',
    ]);
    expect(problemsOf(of({ maxCalls: 0 }))).toEqual([
      'a.sampling.maxCalls must be a number from 1 to 1000',
    ]);
  });

  it('believes annotations where the operator says so, and nobody else', () => {
    const given = { a: { url: 'https://example.com', trustAnnotations: true } };
    expect(parseDefinitions(given, 'file').value?.['a']).toMatchObject({
      trustAnnotations: true,
    });
    for (const source of ['agent', 'session'] as const) {
      expect(problemsOf(given, source)).toEqual([
        expect.stringMatching(/^a\.trustAnnotations is not a field; use /),
      ]);
    }
  });

  it.each([
    ['no map', [], ' must be a map of names to servers'],
    [
      'too many',
      Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`s${i}`, {}])),
      'at most 32',
    ],
    [
      'too many, and a name that is none',
      Object.fromEntries(Array.from({ length: 34 }, (_, i) => [`s${i || ' '}`, {}])),
      'at most 32',
    ],
    ['a name with a space', { 'a b': { command: 'x' } }, 'a b is not a name'],
    ['a name with __', { a__b: { command: 'x' } }, 'a__b is not a name'],
    ['a name that ends with _', { a_: { command: 'x' } }, 'a_ is not a name'],
    ['a long name', { ['a'.repeat(33)]: { command: 'x' } }, 'is not a name'],
    ['no server', { a: 'x' }, 'a must be a map'],
    ['neither', { a: {} }, 'a.command is required'],
    ['http without a url', { a: { type: 'http' } }, 'a.url is required'],
    ['an unknown type', { a: { type: 'ws', url: 'https://x.y' } }, 'must be stdio, http or sse'],
    ['an unknown protocol', { a: { command: 'x', protocol: '2025' } }, 'must be auto, legacy or'],
    [
      'both',
      { a: { url: 'https://x.y', command: 'x' } },
      'a.command is not a field; use type, url, headers',
    ],
    ['an unknown field', { a: { command: 'x', shell: true } }, 'a.shell is not a field'],
    ['args that are no list', { a: { command: 'x', args: '-y' } }, 'a.args must be a list'],
    ['a NUL', { a: { command: 'x\0y' } }, 'a.command must be text'],
    ['a relative folder', { a: { command: 'x', cwd: 'here' } }, 'a.cwd must be an absolute path'],
    ['a limit in words', { a: { command: 'x', timeout: '1m' } }, 'a.timeout must be a number of'],
    [
      'a limit that is none',
      { a: { url: 'https://x.y', timeout: 5 } },
      'a.timeout must be a number of',
    ],
    [
      'a variable with =',
      { a: { command: 'x', env: { 'A=B': 'c' } } },
      'a.env.A=B is not the name',
    ],
    ['a variable that is no text', { a: { command: 'x', env: { A: 1 } } }, 'a.env.A must be text'],
    ['no url', { a: { url: 'mcp.example.com' } }, 'a.url must be a URL'],
    ['another scheme', { a: { url: 'file:///etc/passwd' } }, 'a.url must be a URL'],
    [
      'a header of the wire',
      { a: { url: 'https://x.y', headers: { Host: 'z' } } },
      'set by the protocol',
    ],
    [
      'two lines',
      { a: { url: 'https://x.y', headers: { A: 'b\r\nC: d' } } },
      'a.headers.A must be one line',
    ],
    [
      'a header with a colon',
      { a: { url: 'https://x.y', headers: { 'A:': 'b' } } },
      'is not the name of a header',
    ],
  ])('names %s', (_what, given, problem) => {
    expect(problemsOf(given).join('\n')).toContain(problem);
  });

  it('never repeats a value', () => {
    const secret = 'hunter22-hunter22';
    const given = {
      a: { url: `https://user:${secret}@example.com` },
      b: { url: 'https://x.y', headers: { A: `${secret}\n` } },
      c: { command: 'x', env: { A: `${secret}\0` } },
    };
    expect(problemsOf(given)).toHaveLength(3);
    expect(problemsOf(given).join('\n')).not.toContain(secret);
  });
});

function secrets(given: Record<string, unknown>, source: DefinitionSource = 'file'): string[] {
  const { a } = parseDefinitions({ a: given }, source).value ?? {};
  return a === undefined ? [] : secretsOf(a);
}

describe('the log-in of a definition', () => {
  const parse = (oauth: object) =>
    parseDefinition('a', { url: 'https://mcp.example/', oauth }, 'file');
  const client = { clientId: 'us', clientSecret: 'secret', expectedIssuer: 'https://as.example' };

  it('has the settings of its server', () => {
    const oauth = { ...client, scopes: ['read', 'a:b/c'], resource: false };
    expect(parse(oauth)).toMatchObject({ value: { oauth } });
    expect(parse({ ...client, grant: 'client_credentials' })).toMatchObject({ value: {} });
  });

  it.each<[object, string]>([
    [{ clientId: 'us', clientSecret: 'secret' }, 'needs expectedIssuer with clientSecret'],
    [{ clientSecret: 'secret' }, 'needs clientId with clientSecret'],
    [{ clientId: 'us', grant: 'client_credentials' }, 'needs clientId and clientSecret'],
    [{ scopes: ['two words'] }, 'each without blanks'],
    [{ expectedIssuer: 'http://as.example' }, 'must be a URL'],
    [{ resource: true }, 'must be false'],
    [{ grant: 'password' }, 'must be authorization_code or client_credentials'],
  ])('is refused as %j', (oauth, message) => {
    const { faults = [] } = parse(oauth);
    expect(faults.map((fault) => fault.message).join()).toContain(message);
  });
});

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

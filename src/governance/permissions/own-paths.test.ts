import { describe, expect, it } from '@jest/globals';
import { denyOwnPath, hiddenFrom, type OwnPaths, deniedPaths } from './own-paths.js';

const own: OwnPaths = {
  closed: ['/proc', '/work/.data'],
  hidden: ['/work/keys', '/home/me'],
  protected: ['/work/instructions', '/work/rules.yaml'],
};

function denial(effect: string, text: string, root = '/work'): string | undefined {
  const argument = { kind: 'path', texts: [text], roots: [root] };
  return denyOwnPath(own, { effect, argument });
}

describe('denyOwnPath', () => {
  it.each([
    ['read', '/work/.data/owner.json', 'do not reach it'],
    ['edit', '/work/.data/owner.json', 'do not reach it'],
    ['read', '/work/.data', 'do not reach it'],
    ['read', '/work/keys/a', 'do not reach it'],
    ['read', '/proc/self/environ', 'do not reach it'],
    ['edit', '/work/instructions/agents/a.md', 'only read it'],
    ['edit', '/work/rules.yaml', 'only read it'],
    ['command', '/work/rules.yaml', 'only read it'],
  ])('%s %s', (effect, text, why) => {
    expect(denial(effect, text)).toMatch(new RegExp(`^permission denied: .*${why}`));
  });

  it.each([
    ['read', '/work/instructions/agents/a.md'],
    ['read', '/work/rules.yaml'],
    ['edit', '/work/.data-of-mine/a'],
    ['edit', '/work/rules.yaml.old'],
    // A search that begins in a parent folder.
    ['read', '/work'],
  ])('nothing against %s %s', (effect, text) => {
    expect(denial(effect, text)).toBeUndefined();
  });

  it('one spelling of a path is enough', () => {
    const argument = { kind: 'path', texts: ['/work/link', '/work/.data/a'], roots: ['/work'] };
    expect(denyOwnPath(own, { effect: 'read', argument })).toContain('permission denied');
  });

  it.each([
    undefined,
    { kind: 'command', texts: ['/work/.data'] },
    { kind: 'path', texts: [], roots: ['/work'] },
  ])('nothing against what names no path: %j', (argument) => {
    expect(denyOwnPath(own, { effect: 'edit', argument })).toBeUndefined();
  });
});

describe('a project root inside of', () => {
  it('a hidden folder is seen', () => {
    expect(denial('edit', '/home/me/project/a', '/home/me/project')).toBeUndefined();
    expect(hiddenFrom(own, ['/home/me/project'])).toEqual([...own.closed, '/work/keys']);
  });

  it('a closed folder is not', () => {
    expect(denial('read', '/work/.data/project/a', '/work/.data/project')).toContain('denied');
  });
});

const grep = { name: 'grep', deniedWith: ['read'] };
const layer = (deny: string[]) => ({ mode: 'direct', named: [], agent: { deny } });
const rules = {
  server: { deny: ['read(**/.env)', 'write(docs/**)'] },
  session: { deny: ['grep(logs/**)', 'read(/etc/**)', 'r*', 'not a rule ('] },
  layers: [layer(['re*']), layer(['read(keys/*)'])],
};

describe('deniedPaths', () => {
  const denies = deniedPaths(grep, rules, ['/work', '/real']);

  it.each([
    ['/work/.env', true],
    ['/real/deep/.env', true],
    ['/work/logs/a', true],
    ['/work/keys/a', true],
    ['/work/keys/deep/a', false],
    ['/etc/passwd', true],
    ['/work/docs/a', false],
    ['/elsewhere/.env', false],
    ['/work/.env.example', false],
  ])('of %s is %s', (path, denied) => {
    expect(denies([path])).toBe(denied);
  });

  it('is so by any way that a path reads', () => {
    expect(denies(['/elsewhere/a', '/work/.env'])).toBe(true);
    expect(denies([])).toBe(false);
  });

  it('is by its own rules where nothing else denies a tool', () => {
    const glob = deniedPaths({ name: 'glob' }, rules, ['/work']);
    expect(glob(['/work/.env'])).toBe(false);
  });
});

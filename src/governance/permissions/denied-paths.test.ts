import { describe, expect, it } from '@jest/globals';
import { deniedPaths } from './own-paths.js';

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

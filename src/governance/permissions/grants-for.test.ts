import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { decidePermission } from './decide-permission.js';
import { grantsFor } from './match-rule.js';

const command = (text: string) => ({ kind: 'command', texts: [text] }) as const;

const allows = (grants: readonly string[], text: string): boolean =>
  decidePermission({
    tool: { name: 'bash', effect: 'command' },
    argument: command(text),
    layers: [{ mode: 'direct', named: ['bash'], agent: {} }],
    server: {},
    session: {},
    grants,
  }).verdict === 'allow';

describe('grantsFor', () => {
  it('names the call, or the tool where there is nothing else', () => {
    expect(grantsFor('bash', command('rm *.tmp'))).toEqual([String.raw`bash(rm \*.tmp)`]);
    expect(grantsFor('deploy', undefined)).toEqual(['deploy']);
    expect(grantsFor('bash', { kind: 'command', texts: [] })).toEqual(['bash']);
  });

  it('names a path each way it reads', () => {
    const roots = ['/link', '/real'];
    const argument = { kind: 'path', roots } as const;
    const both = { ...argument, texts: ['/link/a/b.md', '/real/c/b.md'] };
    expect(grantsFor('write', both)).toEqual(['write(a/b.md)', 'write(c/b.md)']);
    const outside = { ...argument, texts: ['/link/a', '/etc/a'] };
    expect(grantsFor('write', outside)).toEqual(['write(a)', 'write(/etc/a)']);
  });

  it.each([['git push'], ['a; b'], ['echo $(id) > x'], ['a\nb *'], [String.raw`a \* b`], [' a ']])(
    'allows %j again, and nothing more',
    (text) => {
      const grants = grantsFor('bash', command(text));
      expect(allows(grants, text)).toBe(true);
      expect(allows(grants, `${text}; id`)).toBe(false);
      expect(allows(grants, `${text}x`)).toBe(false);
    },
  );

  it('allows no other command', () => {
    const text = fc.string({ unit: fc.constantFrom(...'ab*\\;|&$ ()'.split('')), maxLength: 8 });
    fc.assert(
      fc.property(text, text, (granted, other) => {
        fc.pre(granted.trim() !== '' && granted.trim() !== other.trim());
        fc.pre(granted.replaceAll(/[\s;|&]/g, '') !== other.replaceAll(/[\s;|&]/g, ''));
        expect(allows(grantsFor('bash', command(granted)), other)).toBe(
          // A compound command that repeats one simple command is allowed.
          other.split(/&&|\|\||[;|]/).every((part) => part.trim() === granted.trim()),
        );
      }),
    );
  });
});

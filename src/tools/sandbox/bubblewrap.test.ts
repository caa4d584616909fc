import { describe, expect, it } from '@jest/globals';
import { mountArguments, type MountPlan } from './bubblewrap.js';

const folder = (path: string) => ({ path, isFolder: true });
const file = (path: string) => ({ path, isFolder: false });

/** Mount operations on paths under `/home` and `/tmp`, in order. */
function mounts(plan: Partial<MountPlan>): string[] {
  const given = {
    root: '/home/me/p',
    hidden: [],
    shown: [],
    readOnly: [],
    tmpBytes: 1,
    sharedBytes: 1,
    ...plan,
  };
  const lines = mountArguments(given)
    .join(' ')
    .split(/ (?=--)/);
  return lines.filter((line) => /\/home|\/tmp/.test(line) && line !== '--tmpfs /tmp');
}

describe('mountArguments', () => {
  it('begins with everything read-only', () => {
    const given = {
      root: '/home/me/p',
      hidden: [],
      shown: [],
      readOnly: [],
      tmpBytes: 1,
      sharedBytes: 1,
    };
    expect(mountArguments(given).slice(0, 3)).toEqual(['--ro-bind', '/', '/']);
  });

  it.each<[string, Partial<MountPlan>, string[]]>([
    ['nothing to hide', {}, ['--bind /home/me/p /home/me/p']],
    [
      'a secret elsewhere',
      { hidden: [folder('/home/me/.ssh'), file('/home/me/.netrc')] },
      [
        '--tmpfs /home/me/.ssh',
        '--ro-bind /dev/null /home/me/.netrc',
        '--bind /home/me/p /home/me/p',
        '--remount-ro /home/me/.ssh',
      ],
    ],
    [
      'the root inside of what is hidden',
      { hidden: [folder('/home')] },
      ['--tmpfs /home', '--bind /home/me/p /home/me/p', '--remount-ro /home'],
    ],
    [
      'the root that is hidden itself',
      { hidden: [folder('/home/me/p')] },
      ['--bind /home/me/p /home/me/p'],
    ],
    [
      'what is hidden inside the root',
      { hidden: [folder('/home/me/p/.turnpike')] },
      [
        '--bind /home/me/p /home/me/p',
        '--tmpfs /home/me/p/.turnpike',
        '--remount-ro /home/me/p/.turnpike',
      ],
    ],
    [
      'what is hidden deep in the root, with its folders held in place',
      { hidden: [folder('/home/me/p/a/b/data')] },
      [
        '--bind /home/me/p /home/me/p',
        '--bind /home/me/p/a /home/me/p/a',
        '--bind /home/me/p/a/b /home/me/p/a/b',
        '--tmpfs /home/me/p/a/b/data',
        '--remount-ro /home/me/p/a/b/data',
      ],
    ],
    [
      'one hidden folder inside of another',
      { hidden: [folder('/home'), folder('/home/me/.ssh'), folder('/tmp/data')] },
      ['--tmpfs /home', '--bind /home/me/p /home/me/p', '--remount-ro /home'],
    ],
    [
      'what stays read-only in the root',
      { readOnly: [folder('/home/me/p/agents'), folder('/etc/agents')] },
      ['--bind /home/me/p /home/me/p', '--ro-bind /home/me/p/agents /home/me/p/agents'],
    ],
  ])('has %s', (_what, plan, expected) => {
    expect(mounts(plan)).toEqual(expected);
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { describeFailure } from './describe-failure.js';
import { ToolFailure } from '../tool-failure.js';

function thrownBy(body: () => unknown): unknown {
  try {
    return body();
  } catch (error) {
    return error;
  }
}

describe('describeFailure', () => {
  it.each<[string, unknown, string]>([
    ["the tool's word", new ToolFailure('see /srv/a/b'), 'see /srv/a/b'],
    ['a system error', thrownBy(() => readFileSync('/srv/none/secret')), 'probe failed: ENOENT'],
    [
      'a path',
      new Error("cannot load '/srv/app/x.js' now"),
      "probe failed: cannot load '<path>' now",
    ],
    ['a file URL', new Error('in file:///srv/app/x.js'), 'probe failed: in <path>'],
    [
      'a URL',
      new Error('GET https://example.com/a/b: 500'),
      'probe failed: GET https://example.com/a/b: 500',
    ],
    ['a stack', new Error('boom\n    at run (/srv/app/x.js:1:1)'), 'probe failed: boom'],
    ['a fraction', new Error('3/4/5 done'), 'probe failed: 3/4/5 done'],
    ['no message', new Error(''), 'probe failed'],
    ['no error', { secret: 1 }, 'probe failed'],
  ])('%s', (_name, error, text) => {
    expect(describeFailure('probe', error)).toBe(text);
  });
});

import { describe, expect, it } from '@jest/globals';
import { describeCall, fileChangeOf } from './describe-call.js';

describe('describeCall', () => {
  it.each<[object, string]>([
    [{ input: { command: 'ls -la\npwd' }, json: '' }, 'ls -la'],
    [{ input: { content: 'x', file_path: 'a.ts' }, json: '' }, 'a.ts'],
    [{ input: { agent: 'READER', prompt: 'Look' }, json: '' }, 'READER: Look'],
    [{ input: { other: 'words', count: 1 }, json: '' }, 'words'],
    [{ name: 'load_skill', input: { name: 'release-notes' } }, 'release-notes'],
    [{ name: 'read_skill_file', json: '{"path":"style.md","name":"notes"' }, 'notes/style.md'],
    [{ input: {}, json: '' }, ''],
    [{ json: '{"file_path":"src/a' }, 'src/a'],
    [{ json: '{"command":"echo \\"a\\"' }, 'echo "a"'],
    [{ json: '{"command":"a\\' }, 'a'],
    [{ json: '{"comm' }, ''],
  ])('of %j is %j', (call, line) => {
    expect(describeCall({ name: 'other', json: '', ...call })).toBe(line);
  });
});

describe('fileChangeOf', () => {
  it.each<[string, unknown, object | undefined]>([
    ['write', { file_path: 'a', content: 'x' }, { path: 'a', before: '', after: 'x' }],
    [
      'edit',
      { file_path: 'a', old_string: 'x', new_string: 'y' },
      { path: 'a', before: 'x', after: 'y' },
    ],
    ['edit', { file_path: 'a' }, undefined],
    ['bash', { file_path: 'a', content: 'x' }, undefined],
    ['write', 'x', undefined],
  ])('of %s %j is %j', (name, input, change) => {
    expect(fileChangeOf(name, input)).toEqual(change);
  });
});

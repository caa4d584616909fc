import { describe, expect, it } from '@jest/globals';
import { checkHook } from '../../chaos/check/check-hook.mjs';
import { checkMemory } from '../../chaos/check/check-memory.mjs';
import { SHARED_FILE } from '../../chaos/plan/plan-memory.mjs';
import { hookAnswerOf, planTurn } from '../../chaos/plan/plan-turn.mjs';
import type { HookRecord, MemoryCallRow } from '../../chaos/types.js';

const path = '/memories/own-0.md';
const moved = '/memories/moved-0.md';

const call = (input: MemoryCallRow['input'], status = 'success'): MemoryCallRow => ({
  turnId: 'turn_1',
  callId: `c-${String(input['insert_text'] ?? input['file_text'] ?? input['command'])}`,
  input,
  status,
});
const create = (line: string, status?: string) =>
  call({ command: 'create', path, file_text: line }, status);
const insert = (line: string, status?: string) =>
  call({ command: 'insert', path, insert_line: 0, insert_text: line }, status);
const rename = call({ command: 'rename', old_path: path, new_path: moved });
const remove = call({ command: 'delete', path });

describe('the checker of memories', () => {
  it.each<[string, MemoryCallRow[], Record<string, string>, string[]]>([
    ['nothing', [], {}, []],
    ['what was written', [create('a'), insert('b')], { [path]: 'b\na' }, []],
    ['what was refused and is not there', [create('a'), create('b', 'error')], { [path]: 'a' }, []],
    ['what has an unknown end and is not there', [create('a', 'unknown')], {}, []],
    ['a file that was renamed', [create('a'), rename], { [moved]: 'a' }, []],
    [
      'a file that was deleted and made again',
      [create('a'), remove, create('b')],
      { [path]: 'b' },
      [],
    ],
    [
      'a shared file that a later turn had made before',
      [
        { ...insert('b'), input: { ...insert('b').input, path: SHARED_FILE } },
        { ...create('a'), input: { ...create('a').input, path: SHARED_FILE } },
      ],
      { [SHARED_FILE]: 'b\na' },
      [],
    ],
    ['a write that is lost', [create('a'), insert('b')], { [path]: 'a' }, ['memory-lost']],
    ['a file that is lost', [create('a')], {}, ['memory-lost']],
    [
      'a write that is there twice',
      [create('a'), insert('b')],
      { [path]: 'b\nb\na' },
      ['memory-twice'],
    ],
    [
      'a write that was refused',
      [create('a'), insert('b', 'error')],
      { [path]: 'b\na' },
      ['memory-twice'],
    ],
    ['a write of nobody', [create('a')], { [path]: 'x\na' }, ['memory-twice']],
    [
      'a rename that left the file',
      [create('a'), rename],
      { [path]: 'a', [moved]: 'a' },
      ['memory-twice'],
    ],
    ['a deletion that came to nothing', [create('a'), remove], { [path]: 'a' }, ['memory-twice']],
    ['a file made over another', [create('a'), create('b')], { [path]: 'b' }, ['memory-lost']],
    ['a write into no file', [insert('b')], { [path]: 'b' }, ['memory-lost']],
  ])('%s', (_name, calls, files, kinds) => {
    const found = checkMemory(calls, new Map(Object.entries(files)));
    expect(found.map(({ kind }) => kind)).toEqual(kinds);
  });
});

describe('the checker of the tool hook', () => {
  const command = 'echo t1-1 >> ran.txt # hook: deny';
  const denied = { callId: 'c1', name: 'bash', status: 'denied', command };
  const record = (...answers: HookRecord['answers']): HookRecord => ({
    turnId: 'turn_1',
    callId: 'c1',
    answers,
    isSigned: true,
  });

  it.each<[string, string, number, HookRecord[], string[]]>([
    ['a call that was denied', 'denied', 0, [record('deny')], []],
    ['a call that was allowed', 'success', 1, [record('allow')], []],
    [
      'a call that was allowed in its second attempt',
      'success',
      1,
      [record('broken', 'allow')],
      [],
    ],
    ['a call that was lost', 'unknown', 0, [record('deny')], []],
    ['a denied call that left a trace', 'denied', 1, [record('deny')], ['ran-unasked']],
    ['a denied call that succeeded', 'success', 0, [record('deny')], ['ran-unasked']],
    [
      'a call without an answer that left a trace',
      'unknown',
      1,
      [record('broken')],
      ['ran-unasked'],
    ],
    ['a call that was never asked about', 'success', 1, [], ['ran-unasked']],
    [
      'a question of somebody else',
      'denied',
      0,
      [{ ...record('deny'), isSigned: false }],
      ['hook-forged'],
    ],
  ])('%s', (_name, status, count, records, kinds) => {
    const turns = [{ turnId: 'turn_1', calls: [{ ...denied, status }] }];
    const asked = new Map(records.map((one) => [`${one.turnId} ${one.callId}`, one]));
    const found = checkHook(turns, new Map([['t1-1', count]]), asked);
    expect(found.map(({ kind }) => kind)).toEqual(kinds);
  });

  it('has answers of each kind in the plan', () => {
    const messages = Array.from({ length: 200 }, (_, index) => planTurn(5, index).message);
    const commands = messages.flatMap(
      (message) => /"command":"(echo[^"]*)"/.exec(message)?.[1] ?? [],
    );
    const answers = commands.map((one) => hookAnswerOf({ command: one }));
    expect(new Set(answers)).toEqual(new Set(['allow', 'deny', 'broken']));
    expect(hookAnswerOf({ pattern: '*' })).toBe('allow');
  });
});

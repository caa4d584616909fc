import { describe, expect, it } from '@jest/globals';
import {
  betterFileName,
  canonicalPersonaName,
  isPersonaName,
  namesLike,
  personaNotFound,
  personaOfFile,
} from './persona-name.js';

describe('persona names', () => {
  it.each([
    ['WORKING_ITEMS', true],
    [' working-items ', true],
    ['4_DOCUMENTS', true],
    ['a'.repeat(64), true],
    ['a'.repeat(65), false],
    ['', false],
    ['  ', false],
    ['..', false],
    ['../EDITOR', false],
    ['a/b', false],
    ['a\\b', false],
    ['a.md', false],
    ['a b', false],
    ['a\u0000', false],
    ['A\nB', false],
    ['ÉDITEUR', false],
  ])('%j is a name: %s', (name, valid) => {
    expect(isPersonaName(name)).toBe(valid);
  });

  it('compares names without regard to - and _', () => {
    expect(canonicalPersonaName(' A-B-C ')).toBe('A_B_C');
  });

  it.each([
    ['AGENT_A_B.md', 'A_B'],
    ['AGENT_A-B.md', 'A_B'],
    ['AGENT_README.md', 'README'],
    ['a-b.md', 'a_b'],
    ['4.md', '4'],
    ['agent_A.md', 'agent_A'],
  ])('%s holds the persona %s', (file, name) => expect(personaOfFile(file)).toBe(name));

  it.each([
    'AGENT_.md',
    'AGENT_A.md.bak',
    'AGENT_A.MD',
    'README.md',
    'readme.md',
    '.md',
    ' a.md',
    'a .md',
    'a.b.md',
    `${'a'.repeat(65)}.md`,
    'a.txt',
  ])('%s holds no persona', (file) => expect(personaOfFile(file)).toBeUndefined());

  it.each([
    ['A', ['A', 'a'], ['A']],
    [' a-b ', ['A_B', 'C'], ['A_B']],
    ['ab', ['AB', 'Ab', 'X'], ['AB', 'Ab']],
    ['x', ['A'], []],
  ])('%j of %j may stand for %j', (name, names, like) => {
    expect(namesLike(name, names)).toEqual(like);
  });

  it('names what exists', () => {
    const error = personaNotFound('NOBODY', '/root', ['A', 'B']);
    expect(error).toMatchObject({
      type: 'PERSONA_NOT_FOUND',
      status: 404,
      message: "Persona 'NOBODY' does not exist. Available: A, B.",
      details: { persona: 'NOBODY', instructionRoot: '/root' },
    });
  });

  it.each([
    [
      'ab',
      ['AB', 'aB'],
      "Persona 'ab' may be AB or aB: use one of these spellings. Available: AB, aB.",
    ],
    ['../x', ['A'], 'A persona name is 1 to 64 letters, digits, "_" or "-". Available: A.'],
    ['A', ['A'], "Persona 'A' is not a regular file inside the instruction root. Available: A."],
    ['X', [], "Persona 'X' does not exist. The instruction root has no file agents/NAME.md."],
  ])('says what is wrong with %s', (name, available, message) => {
    expect(personaNotFound(name, '/root', available).message).toBe(message);
  });

  it('shows at most twenty names', () => {
    const names = Array.from({ length: 23 }, (_, i) => `N${i}`);
    expect(personaNotFound('X', '/root', names).message).toMatch(/N19 and 3 more\.$/);
  });
});

describe('betterFileName', () => {
  it.each([
    ['my agent.md', 'my-agent.md'],
    ['größe.md', 'grosse.md'],
    ['SHOUT.MD', 'SHOUT.md'],
    ['notes.markdown', 'notes.md'],
    ['日本.md', 'name.md'],
    ['reader.md', undefined],
    ['AGENT_A.md', undefined],
    ['README.MD', undefined],
    ['picture.png', undefined],
  ])('of %s is %s', (file, better) => {
    expect(betterFileName(file)).toBe(better);
  });
});

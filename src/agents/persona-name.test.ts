import { describe, expect, it } from '@jest/globals';
import {
  canonicalPersonaName,
  isPersonaName,
  personaFile,
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

  it('maps a name to its file and back', () => {
    expect(personaFile(' working-items')).toBe('AGENT_working_items.md');
    expect(canonicalPersonaName(' A-B-C ')).toBe('A_B_C');
    expect(personaOfFile('AGENT_A_B.md')).toBe('A_B');
  });

  it.each(['AGENT_A-B.md', 'AGENT_.md', 'agent_A.md', 'AGENT_A.md.bak', 'README.md'])(
    '%s holds no persona',
    (file) => expect(personaOfFile(file)).toBeUndefined(),
  );

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
    ['../x', ['A'], 'A persona name is 1 to 64 letters, digits, "_" or "-". Available: A.'],
    ['A', ['A'], "Persona 'A' is not a regular file inside the instruction root. Available: A."],
    [
      'X',
      [],
      "Persona 'X' does not exist. The instruction root has no agents/AGENT_<NAME>.md file.",
    ],
  ])('says what is wrong with %s', (name, available, message) => {
    expect(personaNotFound(name, '/root', available).message).toBe(message);
  });

  it('shows at most twenty names', () => {
    const names = Array.from({ length: 23 }, (_, i) => `N${i}`);
    expect(personaNotFound('X', '/root', names).message).toMatch(/N19 and 3 more\.$/);
  });
});

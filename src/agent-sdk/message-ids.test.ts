import { describe, expect, it } from '@jest/globals';
import { sessionOfUuid, uuidOf, uuidOfSession } from './message-ids.js';

describe('ids of messages', () => {
  it('are uuids of version 5, equal for equal names alone', () => {
    expect(uuidOf('turn_1:1.2')).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(uuidOf('turn_1:1.2')).toBe(uuidOf('turn_1:1.2'));
    expect(uuidOf('turn_1:1.2')).not.toBe(uuidOf('turn_1:1.3'));
  });

  it('never change: a program may have stored them', () => {
    expect(uuidOf('turn_1:1.2')).toBe('d86dd16d-7c4e-5829-a842-0ed57aba4431');
  });

  it('name a session by what follows its prefix', () => {
    const uuid = '6b0f7c1e-3c0a-4f0e-9a53-6a3b7c0f2d11';
    expect(uuidOfSession(`sess_${uuid}`)).toBe(uuid);
    expect(sessionOfUuid(uuid.toUpperCase(), 'resume')).toBe(`sess_${uuid}`);
    expect(sessionOfUuid(`sess_${uuid}`, 'resume')).toBe(`sess_${uuid}`);
    expect(() => sessionOfUuid('last', 'resume')).toThrow('resume "last"');
  });
});

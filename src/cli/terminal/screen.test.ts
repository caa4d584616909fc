import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { leaveOnClosedPipe, askedLine, oneLine } from './screen.js';

describe('a pipe that nobody reads any more', () => {
  it('ends the command, as shells expect', async () => {
    const output = new PassThrough();
    const left: number[] = [];
    leaveOnClosedPipe([output], (exitCode) => left.push(exitCode));
    output.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    await new Promise((resolve) => output.once('close', resolve));
    expect(left).toEqual([141]);
  });

  it('is no other fault of the output', () => {
    const output = new PassThrough();
    leaveOnClosedPipe([output], () => undefined);
    expect(() => output.emit('error', new Error('disk full'))).toThrow('disk full');
  });
});

describe('oneLine', () => {
  it('has no control characters, no line breaks, and an end', () => {
    expect(oneLine('a\u001b[2J\r\n b\tc', 80)).toBe('a b c');
    expect(oneLine('abcdef', 4)).toBe('abc…');
    expect(oneLine('https://a.example/\u202egro.live', 80)).toBe('https://a.example/gro.live');
  });
});

describe('askedLine', () => {
  it('is all of a call that fits', () => {
    const call = `bash ${'x'.repeat(1_995)}`;
    expect(askedLine(call)).toBe(call);
  });

  it('shows the end of a long one, and says how much it does not show', () => {
    const asked = askedLine(`bash ${'true; '.repeat(1_000)}rm -rf /important`);
    expect(asked).toMatch(/^bash true; /);
    expect(asked).toMatch(/ … 4022 characters are not shown … .*rm -rf \/important$/);
  });
});

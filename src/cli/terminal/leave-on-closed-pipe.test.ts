import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { leaveOnClosedPipe } from './screen.js';

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

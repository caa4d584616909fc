import { describe, expect, it } from '@jest/globals';
import { parseColumn } from './connection.js';

const head = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)]);
const row = (value: Buffer): Buffer => {
  const frame = Buffer.alloc(6);
  frame.writeInt16BE(1, 0);
  frame.writeInt32BE(value.length, 2);
  return Buffer.concat([frame, value]);
};
const end = Buffer.from([0xff, 0xff]);

describe('parseColumn', () => {
  it('takes the values out of their frames', () => {
    const values = [Buffer.from('one'), Buffer.alloc(0), Buffer.from([0xff, 0xff, 0])];
    expect(parseColumn(Buffer.concat([head, ...values.map(row), end]))).toEqual(values);
  });

  it('finds no rows where there are none', () => {
    expect(parseColumn(Buffer.concat([head, end]))).toEqual([]);
  });

  it('does not take half an answer for a whole one', () => {
    expect(() => parseColumn(Buffer.concat([head, row(Buffer.from('one'))]))).toThrow();
  });
});

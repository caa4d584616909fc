import { describe, expect, it } from '@jest/globals';
import { blockedSyscalls, seccompFilter } from './seccomp-filter.js';

const ALLOWED = 0x7fff_0000;
const EPERM = 0x0005_0001;
const ENOSYS = 0x0005_0026;
const EAFNOSUPPORT = 0x0005_0061;

interface Call {
  audit: number;
  call: number;
  given?: readonly number[];
}

/** Runs a filter as the kernel does: classic BPF over `struct seccomp_data`. */
function judge(filter: Buffer, { audit, call, given = [] }: Call): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call, 0);
  data.writeUInt32LE(audit, 4);
  for (const [index, value] of given.entries()) data.writeUInt32LE(value >>> 0, 16 + 8 * index);
  let loaded = 0;
  for (let at = 0; at < filter.length / 8; at += 1) {
    const code = filter.readUInt16LE(at * 8);
    const value = filter.readUInt32LE(at * 8 + 4);
    if (code === 0x06) return value;
    if (code === 0x20) {
      loaded = data.readUInt32LE(value);
      continue;
    }
    const isTrue =
      code === 0x15 ? loaded === value : code === 0x35 ? loaded >= value : (loaded & value) !== 0;
    at += filter.readUInt8(at * 8 + (isTrue ? 2 : 3));
  }
  throw new Error('The filter has no end');
}

describe.each(Object.entries(blockedSyscalls))('the filter of %s', (architecture, calls) => {
  const filter = seccompFilter(architecture) ?? Buffer.alloc(0);
  const { audit } = calls;
  const answer = (call: number, given?: readonly number[]) =>
    judge(filter, { audit, call, ...(given === undefined ? {} : { given }) });

  it('refuses what it lists, and no other call', () => {
    const refused = Object.values(calls.refused);
    const absent = Object.values(calls.absent);
    expect(new Set([...refused, ...absent]).size).toBe(refused.length + absent.length);
    for (let call = 0; call < 600; call += 1) {
      const expected = refused.includes(call) ? EPERM : absent.includes(call) ? ENOSYS : ALLOWED;
      expect([call, answer(call)]).toEqual([call, expected]);
    }
  });

  it('refuses modes with set-user-id and set-group-id, where a file is made or changed', () => {
    for (const { call, mode, flags } of Object.values(calls.modes)) {
      const given = (bits: number, opens: number) => {
        const all = [0, 0, 0, 0];
        all[mode] = bits;
        if (flags !== undefined) all[flags] = opens;
        return all;
      };
      for (const bits of [0o4755, 0o2755, 0o6000, 0o104_755]) {
        expect([call, answer(call, given(bits, 0o101))]).toEqual([call, EPERM]);
        expect([call, answer(call, given(bits, 0o2000_0000))]).toEqual([call, EPERM]);
        const isNothing = flags !== undefined;
        expect(answer(call, given(bits, 0o2))).toBe(isNothing ? ALLOWED : EPERM);
      }
      for (const bits of [0, 0o644, 0o1777, 0o100_755]) {
        expect([call, answer(call, given(bits, 0o101))]).toEqual([call, ALLOWED]);
      }
    }
  });

  it('refuses sockets that are in no network', () => {
    for (const family of [38, 40]) expect(answer(calls.socket, [family])).toBe(EAFNOSUPPORT);
    for (const family of [1, 2, 10, 16]) expect(answer(calls.socket, [family])).toBe(ALLOWED);
  });

  it('refuses the calls of other architectures', () => {
    for (const other of [0x4000_0003, 0xc000_003e, 0xc000_00b7, 0]) {
      const expected = other === audit ? ALLOWED : ENOSYS;
      expect(judge(filter, { audit: other, call: 0 })).toBe(expected);
    }
    if (calls.foreignFrom === undefined) return;
    expect(answer(calls.foreignFrom + 2)).toBe(ENOSYS);
  });
});

describe('seccompFilter', () => {
  it('has none for what is not listed', () => {
    expect(seccompFilter('riscv64')).toBeUndefined();
  });
});

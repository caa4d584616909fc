import { blockedSyscalls, type SyscallTable } from './blocked-syscalls.js';

/** Opcodes of classic BPF and actions of seccomp, as in `linux/bpf_common.h` and `linux/seccomp.h`. */
const LOAD_WORD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_ANY_BIT = 0x45;
const RETURN = 0x06;
const ALLOW = 0x7fff_0000;
const FAIL = 0x0005_0000;

/** Offsets in `struct seccomp_data`; of an argument's lower half, on a little-endian machine. */
const CALL = 0;
const ARCHITECTURE = 4;
const argument = (index: number): number => 16 + 8 * index;

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** Set-user-id and set-group-id. */
const SET_ID = 0o6000;
/** `O_CREAT`, and the bit of `O_TMPFILE` alone: without either, a mode is ignored. */
const CREATES = 0o100 | 0o2000_0000;

type Instruction = readonly [code: number, value: number, jumpTrue: number, jumpFalse: number];

const load = (offset: number): Instruction => [LOAD_WORD, offset, 0, 0];
const give = (value: number): Instruction => [RETURN, value, 0, 0];
const fail = (code: number): Instruction => give(FAIL | code);

/**
 * The filter of system calls for commands, a compiled program of classic BPF as bubblewrap takes it. It
 * blocks calls that only administration needs or that namespaces do not confine, and set-user-id bits
 * on files, which would have effect outside of the sandbox.
 *
 * @param architecture Node's name of it.
 * @returns undefined for an architecture without a table of calls.
 */
export function seccompFilter(architecture: string): Buffer | undefined {
  const calls = blockedSyscalls[architecture];
  return calls === undefined ? undefined : assemble(instructions(calls));
}

function instructions(calls: SyscallTable): Instruction[] {
  const { audit, foreignFrom, refused, absent, modes, socket, families } = calls;
  return [
    load(ARCHITECTURE),
    // Calls of another architecture have other numbers.
    [IF_EQUAL, audit, 1, 0],
    fail(ENOSYS),
    load(CALL),
    ...(foreignFrom === undefined ? [] : when(IF_AT_LEAST, foreignFrom, [fail(ENOSYS)])),
    ...Object.values(refused).flatMap((call) => when(IF_EQUAL, call, [fail(EPERM)])),
    // Programs fall back to older calls when these are missing.
    ...Object.values(absent).flatMap((call) => when(IF_EQUAL, call, [fail(ENOSYS)])),
    ...Object.values(modes).flatMap(({ call, mode, flags }) =>
      when(IF_EQUAL, call, checkMode(mode, flags)),
    ),
    ...when(IF_EQUAL, socket, checkFamily(Object.values(families))),
    give(ALLOW),
  ];
}

/** @param then must end with a return when it loads another word. */
function when(code: number, value: number, then: readonly Instruction[]): Instruction[] {
  return [[code, value, 0, then.length], ...then];
}

function checkMode(mode: number, flags: number | undefined): Instruction[] {
  const check: Instruction[] = [
    load(argument(mode)),
    ...when(IF_ANY_BIT, SET_ID, [fail(EPERM)]),
    give(ALLOW),
  ];
  if (flags === undefined) return check;
  return [load(argument(flags)), ...when(IF_ANY_BIT, CREATES, check), give(ALLOW)];
}

function checkFamily(families: readonly number[]): Instruction[] {
  return [
    load(argument(0)),
    ...families.flatMap((family) => when(IF_EQUAL, family, [fail(EAFNOSUPPORT)])),
    give(ALLOW),
  ];
}

function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, value, jumpTrue, jumpFalse]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(jumpTrue, index * 8 + 2);
    bytes.writeUInt8(jumpFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}

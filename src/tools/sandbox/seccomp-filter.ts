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

/** The system calls of an architecture that a sandbox blocks, by the kernel's names. */
interface SyscallTable {
  /** The kernel's `AUDIT_ARCH_…` of the architecture. */
  audit: number;
  /** First number of the calls of another architecture. */
  foreignFrom?: number;
  /** Calls that fail with EPERM. */
  refused: Readonly<Record<string, number>>;
  /** Calls that fail with ENOSYS, as on an older kernel. */
  absent: Readonly<Record<string, number>>;
  /** Calls that create or change a file: the index of the mode argument, and of the flags, if any. */
  modes: Readonly<Record<string, { call: number; mode: number; flags?: number }>>;
  socket: number;
  /** Socket families that no network namespace confines. */
  families: Readonly<Record<string, number>>;
}

/** Newer calls, which have one number on all architectures. */
const mounting = {
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  mount_setattr: 442,
};
/** Calls that bypass the filter: io_uring, and `openat2`, whose mode is behind a pointer. */
const absent = { io_uring_setup: 425, io_uring_enter: 426, io_uring_register: 427, openat2: 437 };
const fchmodat2 = { call: 452, mode: 2 };
/** AF_ALG is the kernel's crypto API; AF_VSOCK reaches the host of a virtual machine. */
const families = { AF_ALG: 38, AF_VSOCK: 40 };

/** Tables by Node's name of the architecture. */
export const blockedSyscalls: Readonly<Record<string, SyscallTable>> = {
  x64: {
    audit: 0xc000_003e,
    foreignFrom: 0x4000_0000,
    refused: {
      ...mounting,
      mount: 165,
      umount2: 166,
      pivot_root: 155,
      chroot: 161,
      setns: 308,
      unshare: 272,
      kexec_load: 246,
      kexec_file_load: 320,
      init_module: 175,
      finit_module: 313,
      delete_module: 176,
      reboot: 169,
      acct: 163,
      swapon: 167,
      swapoff: 168,
      quotactl: 179,
      nfsservctl: 180,
      uselib: 134,
      iopl: 172,
      ioperm: 173,
      vhangup: 153,
      bpf: 321,
      perf_event_open: 298,
      userfaultfd: 323,
      add_key: 248,
      request_key: 249,
      keyctl: 250,
      open_by_handle_at: 304,
      settimeofday: 164,
      clock_settime: 227,
      syslog: 103,
      lookup_dcookie: 212,
      kcmp: 312,
    },
    absent,
    modes: {
      chmod: { call: 90, mode: 1 },
      fchmod: { call: 91, mode: 1 },
      fchmodat: { call: 268, mode: 2 },
      fchmodat2,
      creat: { call: 85, mode: 1 },
      mknod: { call: 133, mode: 1 },
      mknodat: { call: 259, mode: 2 },
      open: { call: 2, mode: 2, flags: 1 },
      openat: { call: 257, mode: 3, flags: 2 },
    },
    socket: 41,
    families,
  },
  arm64: {
    audit: 0xc000_00b7,
    refused: {
      ...mounting,
      mount: 40,
      umount2: 39,
      pivot_root: 41,
      chroot: 51,
      setns: 268,
      unshare: 97,
      kexec_load: 104,
      kexec_file_load: 294,
      init_module: 105,
      finit_module: 273,
      delete_module: 106,
      reboot: 142,
      acct: 89,
      swapon: 224,
      swapoff: 225,
      quotactl: 60,
      nfsservctl: 42,
      vhangup: 58,
      bpf: 280,
      perf_event_open: 241,
      userfaultfd: 282,
      add_key: 217,
      request_key: 218,
      keyctl: 219,
      open_by_handle_at: 265,
      settimeofday: 170,
      clock_settime: 112,
      syslog: 116,
      lookup_dcookie: 18,
      kcmp: 272,
    },
    absent,
    modes: {
      fchmod: { call: 52, mode: 1 },
      fchmodat: { call: 53, mode: 2 },
      fchmodat2,
      mknodat: { call: 33, mode: 2 },
      openat: { call: 56, mode: 3, flags: 2 },
    },
    socket: 198,
    families,
  },
};

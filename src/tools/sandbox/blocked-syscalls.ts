/** The system calls of an architecture that a sandbox blocks, by the kernel's names. */
export interface SyscallTable {
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

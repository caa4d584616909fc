/** A program that runs another program, named by its arguments. */
export interface Wrapper {
  /** Most arguments before the inner program's name. */
  operands: number;
  /**
   * Letters of the options that take the next argument as their value. Undefined: unknown, so that
   * the argument after an option may be its value or the inner program.
   */
  valued?: string;
  /** Options, without dashes, whose value is a shell script: a letter, or a word. */
  scripts?: readonly string[];
  /** The inner program gets arguments that are not in the command. */
  adds?: true;
}

const command = ['c', 'command'];
const plainWrapper: Wrapper = { operands: 0 };

const wrappers: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ['env', { operands: 0, valued: 'uC', scripts: ['S', 'split-string'] }],
  ['exec', { operands: 0, valued: 'a' }],
  ['sudo', { operands: 0, valued: 'ughpCrtTUDR' }],
  ['doas', { operands: 0, valued: 'uC' }],
  ['xargs', { operands: 0, valued: 'adEILnPs', adds: true }],
  ['parallel', { operands: 0, adds: true }],
  ['nice', { operands: 0, valued: 'n' }],
  ['ionice', { operands: 0, valued: 'cnpPu' }],
  ['stdbuf', { operands: 0, valued: 'ioe' }],
  ['time', { operands: 0, valued: 'fo' }],
  ['timeout', { operands: 1, valued: 'sk' }],
  ['flock', { operands: 1, valued: 'wE', scripts: command }],
  ['script', { operands: 0, scripts: command }],
  ['unshare', { operands: 0 }],
  ['nsenter', { operands: 0 }],
  ['chroot', { operands: 1 }],
  ['runuser', { operands: 1, scripts: command }],
  ['sg', { operands: 1, scripts: command }],
  ...'taskset chrt setarch logsave faketime gosu su-exec'
    .split(' ')
    .map((name) => [name, { operands: 1 }] as const),
  ...(
    'command builtin nohup setsid busybox toybox strace ltrace prlimit setpriv choom numactl ' +
    'linux32 linux64 i386 i686 x86_64 uname26 cgexec systemd-run systemd-inhibit dbus-run-session ' +
    'xvfb-run unbuffer catchsegv fakeroot eatmydata nocache rlwrap tini dumb-init chpst softlimit ' +
    'setuidgid envdir pkexec chronic ifne entr sem tsp valgrind gdb perf bwrap firejail proot ' +
    'proxychains torsocks torify watch uclampset start-stop-daemon ssh-agent'
  )
    .split(' ')
    .map((name) => [name, plainWrapper] as const),
]);

export const shells: ReadonlySet<string> = new Set(
  'bash sh dash ash zsh ksh mksh fish rbash su'.split(' '),
);

/** Programs whose arguments are data: a program's name among them runs nothing. */
const plain: ReadonlySet<string> = new Set(
  (
    'echo printf true false : test [ [[ cd pwd pushd popd ls dir tree stat file find wc sort uniq cut ' +
    'tr head tail cat tac nl tee grep egrep fgrep rg ag diff cmp comm paste join column basename ' +
    'dirname realpath readlink mkdir rmdir touch cp mv ln rm chmod chown chgrp du df date seq sleep ' +
    'kill which whereis type apropos whatis help hash read return exit break continue shift ' +
    'unset wait jobs fg bg fi done esac } for case select in jq yq sha256sum md5sum base64 od xxd ' +
    'hexdump strings gzip gunzip unzip id whoami groups hostname uname uptime ps pgrep free pip pip3'
  ).split(' '),
);

/** Subcommands of git that run no program named in their arguments. */
const plainGit: ReadonlySet<string> = new Set(
  (
    'add am apply archive blame branch cat-file checkout cherry cherry-pick clean clone commit ' +
    'describe diff fetch format-patch grep init log ls-files ls-remote ls-tree merge merge-base mv ' +
    'pull push reflog remote reset restore rev-list rev-parse revert rm shortlog show show-ref ' +
    'sparse-checkout stash status switch symbolic-ref tag worktree'
  ).split(' '),
);

export function wrapperOf(name: string): Wrapper | undefined {
  // The dynamic loader, which runs the program named by its first argument.
  return /^ld[\w-]*\.so/.test(name) ? plainWrapper : wrappers.get(name);
}

/** Options of programs in `plain` that name a program to run. */
const namesProgram = /^--(?:pre|compress-program)(?:=|$)/;

/** Whether a program is known to run nothing that its arguments name. */
export function runsNothing(name: string, rest: readonly string[]): boolean {
  if (rest.some((word) => namesProgram.test(word))) return false;
  return plain.has(name) || (name === 'git' && plainGit.has(rest[0] ?? ''));
}

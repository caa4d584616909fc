import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { decidePermission, type Verdict } from '../permissions/decide-permission.js';

/** The verdict on a command that is otherwise allowed. */
function judge(command: string, rules: { deny?: string[]; ask?: string[] }): Verdict {
  return decidePermission({
    tool: { name: 'bash', effect: 'command' },
    argument: { kind: 'command', texts: [command] },
    layers: [{ mode: 'direct', named: ['bash'], agent: {} }],
    server: {},
    session: { allow: ['bash'], ...rules },
    grants: [],
  }).verdict;
}

const noRemoval = { deny: ['bash(rm *)'] };

/** Commands that run `rm x`, or do so with some value of a variable or an input. */
const plainForms = [
  'rm x',
  'rm',
  'r\\m x',
  'r""m x',
  String.raw`$'\x72m' x`,
  String.raw`$'\162\u006d' x`,
  'rm\0 x',
  'r\0m x',
  '{rm,x}',
  '{rm,-rf,x}',
  '/bin/{rm,x}',
  'r{m,x} y',
  'echo x | xargs rm',
  'echo x | xargs -n 1 -P 4 /bin/rm',
  'echo x | xargs -I {} rm {}',
  'xargs -a list rm',
  'function f { rm x; }; f',
  'function f() { rm x; }; f',
  'f() { rm x; }; f',
  'f() ( rm x ); f',
  'coproc rm x',
  'coproc P { rm x; }',
  "env --split-string='rm x'",
  "env -S 'rm x'",
  "env -iS'rm x'",
  'env -u A -C /tmp rm x',
  'env -- rm x',
  'flock lock rm x',
  'flock -w 5 -n lock rm x',
  "flock lock -c 'rm x'",
  "flock lock --command 'rm x'",
  'taskset 1 rm x',
  'taskset -c 0 rm x',
  'taskset 0x1 rm x',
  'chrt -b 0 rm x',
  'chrt -i rm x',
  'setarch x86_64 rm x',
  'setarch -R rm x',
  'linux64 rm x',
  'prlimit --nproc=5 rm x',
  'unshare rm x',
  'unshare -r -m rm x',
  'nsenter -t 1 rm x',
  "script -c 'rm x'",
  "script -qc 'rm x' /dev/null",
  "script --command='rm x' /dev/null",
  "trap 'rm x' EXIT",
  "trap -- 'rm x' EXIT",
  'nice rm x',
  'nice -n5 rm x',
  'ionice -c 3 rm x',
  'timeout -k 5 10 rm x',
  'stdbuf -oL rm x',
  'setsid -w rm x',
  'nohup rm x',
  'doas -u root rm x',
  'chroot / rm x',
  'busybox rm x',
  "busybox sh -c 'rm x'",
  '/lib64/ld-linux-x86-64.so.2 /bin/rm x',
  'watch rm x',
  "watch -n1 'rm x'",
  'parallel rm ::: x',
  "parallel ::: 'rm x'",
  'find . -exec rm {} ;',
  'find . -ok rm {} +',
  'command -p rm x',
  'builtin command rm x',
  'exec -a ls rm x',
  'exec rm x',
  'time -p rm x',
  "bash <<< 'rm x'",
  'bash <<E\nrm x\nE',
  "source /dev/stdin <<< 'rm x'",
  'cat <(rm x)',
  'tee >(rm x)',
  'echo "${a:-$(rm x)}"',
  'echo ${#a}; rm x',
  'echo $((1 + $(rm x)))',
  'A=$(rm x)',
  'case a in a) rm x;; esac',
  'select a in b; do rm x; done',
  "alias a='rm x'",
  "su -c 'rm x'",
  "su --command='rm x' root",
  'runuser -u me -- rm x',
  "sg group 'rm x'",
  'until rm x; do :; done',
  '[[ a ]] && rm x',
];

/** Commands that hide what they run: a person is asked, and mode `dontAsk` denies them. */
const hiddenForms = [
  'r{l..n} x',
  'a=rm; $a x',
  '"$a" x',
  'r$(:)m x',
  'r`:`m x',
  '/bin/r? x',
  '/bin/[r]m x',
  'echo cm0geA== | base64 -d | sh',
  'bash < file',
  'bash',
  'bash -s x',
  'sh -c "$a"',
  'sh -c "cd $a"',
  'eval "$a"',
  'source /dev/stdin',
  '. /dev/fd/0',
  'bash <(cat file)',
  'parallel < file',
  'find . -exec {} x ;',
  'xargs -I % sh -c %',
  `awk 'BEGIN{system("rm x")}'`,
  `python3 -c "import os; os.system('rm x')"`,
  `python3 -c "subprocess.run(['rm', 'x'])"`,
  "perl -e 'exec q(/bin/rm), 1'",
  "ssh host 'rm x'",
  'docker run image rm x',
  "hyperfine 'rm x'",
  'some-new-wrapper --with option rm x',
  "git -c alias.y='!rm x' y",
  'git bisect run rm x',
  "GIT_PAGER='rm x' git -p log",
  "mapfile -C 'rm x' -c 1 lines",
  "tar --to-command='rm x' -xf a.tar",
  'rg --pre rm x',
  'sort --compress-program=rm x',
  'bash -O extglob',
  'echo "<<E"\n$a x\nE',
  'echo $((1<<E))\n$a x\nE',
  'cat <<E\ntext\nE\n$a x',
  'bash <<E\n$a x\nE',
];

/** Commands that mention `rm` and do not run it. */
const harmlessForms = [
  'ls -la',
  'echo rm x',
  "echo 'a; rm x'",
  'echo $HOME',
  'git commit -m "rm x"',
  'git rm x',
  'git log --oneline | head -5',
  'git diff $(git merge-base main HEAD)',
  'grep -r "rm -rf" .',
  'rg "rm x"',
  'which rm',
  'mkdir rm',
  'npm test',
  'npm run build && npm test',
  'for f in *.ts; do wc -l "$f"; done',
  'bash script.sh',
  'for f in *.sh; do bash "$f"; done',
  'bash --version',
  'cat <<E > notes.md\n# Title\n$HOME is *home*\nE',
  'find . -name "*.ts" -exec grep rm {} +',
  'sudo -u git grep rm x',
  'timeout 5 cat rm x',
  'env A=b printf rm x',
  'rmdir x',
  'make -j4 CC=gcc',
  'cd "$dir" && make',
  'python3 -c "print(1)"',
  "node -e 'console.log(process.env.HOME)'",
  'a=1; b=$((a + 1)); echo "$b"',
  'curl -s https://example.com | jq .name',
  'docker compose up -d',
  'kill %1',
  '[ -f a ] || touch a',
  "sed -i 's/a/b/' file",
  'tar -czf a.tgz dir',
  'echo "${a#x}" "${b%.*}"',
];

describe('a rule that denies a command', () => {
  it.each(plainForms)('denies %j', (command) => {
    expect(judge(command, noRemoval)).toBe('deny');
  });

  it.each(hiddenForms)('has a person look at %j', (command) => {
    expect(judge(command, noRemoval)).toBe('ask');
    expect(judge(command, { ask: noRemoval.deny })).toBe('ask');
    expect(judge(command, {})).toBe('allow');
  });

  it.each(harmlessForms)('has nothing to do with %j', (command) => {
    expect(judge(command, noRemoval)).toBe('allow');
  });

  it.each([
    ['bash(git push *)', 'git $a', 'ask'],
    ['bash(git push *)', 'git log $a', 'allow'],
    ['bash(git push *)', 'git push "$a"', 'deny'],
    ['bash(git push *)', 'git push', 'deny'],
    ['bash(git push *)', 'git pushy', 'allow'],
    ['bash(make deploy)', 'make $target', 'ask'],
    ['bash(make deploy)', 'make "${target}"', 'ask'],
    ['bash(make deploy)', 'make ${target:-test}', 'ask'],
    ['bash(make deploy)', 'make test-$target', 'allow'],
    ['bash(rm -rf *)', 'rm $options x', 'ask'],
    ['bash(rm -rf *)', 'rm *.tmp', 'allow'],
    ['bash(*--force*)', 'eslint --fix src', 'allow'],
    ['bash(*--force*)', 'git push --force', 'deny'],
    ['bash(*--force*)', 'echo a; some-tool b --force', 'deny'],
    ['bash(curl *)', "python3 -c 'curl = 1'", 'ask'],
  ])('%s: %j is answered %s', (rule, command, verdict) => {
    expect(judge(command, { deny: [rule] })).toBe(verdict);
  });

  it('denies what is wrapped, however often and in whichever order', () => {
    const wrappers = [
      (inner: string) => `env A=1 ${inner}`,
      (inner: string) => `flock -n lock ${inner}`,
      (inner: string) => `timeout -s KILL 5 ${inner}`,
      (inner: string) => `taskset -c 0 nice -n 5 ${inner}`,
      (inner: string) => `bash -c '${inner.replaceAll("'", `'\\''`)}'`,
      (inner: string) => `script -qc '${inner.replaceAll("'", `'\\''`)}' /dev/null`,
      (inner: string) => `env -S '${inner.replaceAll("'", `'\\''`)}'`,
    ];
    const around = [
      (inner: string) => `echo $(${inner})`,
      (inner: string) => `f() { ${inner}; }; f`,
      (inner: string) => `true && { ${inner}; }`,
      (inner: string) => `(cd a; ${inner}) | cat`,
      (inner: string) => `if a; then ${inner}; fi`,
      (inner: string) => `trap '${inner.replaceAll("'", `'\\''`)}' EXIT`,
      (inner: string) => `# it's\n${inner} > out 2>&1`,
    ];
    const forms = fc.array(fc.constantFrom(...wrappers), { maxLength: 3 });
    const removal = fc.constantFrom('rm x', '/bin/rm x', 'r\\m x', '"rm" x', '{rm,x}', "$'rm' x");
    fc.assert(
      fc.property(removal, forms, fc.constantFrom(...around), (inner, wraps, outer) => {
        const command = outer(wraps.reduce<string>((text, wrap) => wrap(text), inner));
        expect([command, judge(command, noRemoval)]).toEqual([command, 'deny']);
      }),
      { numRuns: 500 },
    );
  });

  it('has an answer for any text', () => {
    const unit = fc.constantFrom(
      ...`rm x'"\\;|&$\`<>(){},#*?\n-=:`.split(''),
      '${',
      '$((',
      '<<<',
      '<<E\n',
      "$'",
      'xargs ',
      'flock ',
      'parallel ',
      'find -exec ',
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), (command) => {
        expect(['allow', 'ask', 'deny']).toContain(judge(command, noRemoval));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['braces', '{'.repeat(200_000)],
    ['braces in braces', '{a,'.repeat(1_000) + '}'.repeat(1_000)],
    ['many braces', '{a,b}'.repeat(60)],
    ['expansions', '${'.repeat(100_000)],
    ['substitutions', '$('.repeat(100_000)],
    ['words of an unknown program', `tool ${'rm '.repeat(100_000)}`],
    ['stars', `tool ${'a'.repeat(200_000)}`],
  ])('takes little time over %s', (_name, command) => {
    const rules = { deny: Array.from({ length: 20 }, (_, at) => `bash(${'a*'.repeat(at)}b)`) };
    expect(['allow', 'ask', 'deny']).toContain(judge(command, rules));
  });
});

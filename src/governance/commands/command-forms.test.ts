import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { commandForms } from './command-forms.js';

describe('commandReadings', () => {
  it.each([
    ['rm x'],
    ['  rm   x'],
    ['/bin/rm x'],
    [String.raw`\rm x`],
    [`"rm" 'x'`],
    [`$'rm' x`],
    ['a; rm x'],
    ['a && rm x'],
    ['a & rm x'],
    ['a | rm x'],
    ['a\nrm x'],
    ['(rm x)'],
    ['{ rm x; }'],
    ['echo $(rm x)'],
    ['echo "b $(rm x) c"'],
    ['echo `rm x`'],
    ['echo "`rm x`"'],
    ['echo "$(echo "$(rm x)")"'],
    ['diff <(rm x) b'],
    ['A=1 B=2 rm x'],
    ['env rm x'],
    ['env -i A=1 rm x'],
    ['sudo rm x'],
    ['sudo -u root rm x'],
    ['sudo env nohup rm x'],
    ['command rm x'],
    ['nohup rm x'],
    ['time -p rm x'],
    ['timeout 5 rm x'],
    ['timeout -s KILL 5s rm x'],
    ['nice -n 5 rm x'],
    ['xargs -n 1 rm x'],
    ['find . -name x -exec rm x'],
    [`bash -c 'rm x'`],
    [`bash -lc "a; rm x"`],
    [`/bin/sh -e -c 'rm x'`],
    [`su root -c 'rm x'`],
    ['eval rm x'],
    [`eval 'rm x'`],
    [`watch 'rm x'`],
    [`bash -c "bash -c 'rm x'"`],
    ['if true; then rm x; fi'],
    ['while true; do rm x; done'],
    ['! rm x'],
    ['rm x > out 2>&1'],
    ['2>/dev/null rm x'],
    ['rm x # why'],
    ["a # it's\nrm x"],
    ["cat <<E\nit's\nE\nrm x"],
    ['bash <<E\nrm x\nE'],
    ['rm \\\nx'],
  ])('knows rm in %j', (command) => {
    expect(commandForms(command)?.texts).toContain('rm x');
  });

  it.each([
    [`echo "a; rm x"`],
    [`echo 'a $(rm x)'`],
    ['git commit -m "rm x"'],
    ['echo rm x'],
    ['echo a > rm x'],
    ['# rm x'],
  ])('sees no rm run in %j', (command) => {
    expect(commandForms(command)?.texts).not.toContain('rm x');
  });

  it('has the command as it is written', () => {
    expect(commandForms('a  >  b')?.texts).toContain('a  >  b');
  });

  it('says when a command is too entangled', () => {
    expect(commandForms(`${'eval '.repeat(8)}rm x`)?.texts).toContain('rm x');
    expect(commandForms(`${'eval '.repeat(100)}rm x`)).toBeUndefined();
    expect(commandForms('sudo -a '.repeat(50_000))).toBeUndefined();
    expect(commandForms(`cat <<E\n${'a line of a file\n'.repeat(5_000)}E`)).toBeDefined();
  });

  it('takes any text', () => {
    const unit = fc.constantFrom(
      ...`ab '"\\;|&$\`<>()#\n-=`.split(''),
      'sudo ',
      'bash -c ',
      'eval ',
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), (command) => {
        expect(commandForms(command)?.texts[0] ?? command).toBe(command);
      }),
    );
  });
});

import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { splitCommand } from './split-command.js';

describe('splitCommand', () => {
  it.each([
    ['git status', ['git status']],
    ['  git \t  status ', ['git status']],
    ['a && b', ['a', 'b']],
    ['a || b; c | d', ['a', 'b', 'c', 'd']],
    ['a&&b', ['a', 'b']],
    [`echo "a; b" 'c && d'`, [`echo "a; b" 'c && d'`]],
    [`git commit -m 'two\nlines  $HOME'`, [`git commit -m 'two\nlines  $HOME'`]],
    [String.raw`find . -exec ls {} \;`, [String.raw`find . -exec ls {} \;`]],
    [String.raw`echo "a \"b\" c"`, [String.raw`echo "a \"b\" c"`]],
    ['ls *.ts ~ {a,b}', ['ls *.ts ~ {a,b}']],
    ['\u00a0git status', ['\u00a0git status']],
  ])('takes %j apart', (command, parts) => {
    expect(splitCommand(command)).toEqual(parts);
  });

  it.each([
    ['a expansion', 'echo $HOME'],
    ['an expansion in double quotes', 'echo "${HOME}"'],
    ['a substitution', 'echo $(id)'],
    ['a substitution in double quotes', 'echo "$(id)"'],
    ['backticks', 'echo `id`'],
    ['backticks in double quotes', 'echo "`id`"'],
    ['the background', 'a & b'],
    ['the background at the end', 'a &'],
    ['|&', 'a |& b'],
    ['a redirection out', 'a > b'],
    ['a redirection in', 'a < b'],
    ['a here-document', 'a <<E'],
    ['a process substitution', 'a <(b)'],
    ['a subshell', '(a)'],
    ['a function', 'a() b'],
    ['two lines', 'a\nb'],
    ['a carriage return', 'a\rb'],
    ['a comment that hides a quote', "a # '\nb # '"],
    ['an open quote', "a 'b"],
    ['an open double quote', 'a "b'],
    ['a continued line', 'a \\\nb'],
    ['a last backslash', 'a \\'],
    ['ANSI quotes', String.raw`a $'\x41'`],
    ['nothing', '   '],
    ['an empty part', 'a && && b'],
    ['a part left out', 'a ;'],
    [';;', 'a;;b'],
    ['NUL', 'a\0b'],
  ])('refuses %s', (_name, command) => {
    expect(splitCommand(command)).toBeUndefined();
  });

  it('leaves nothing between its parts that a shell would act on', () => {
    const unit = fc.constantFrom(...`ab '"\\;|&$\`<>()#\n`.split(''));
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 20 }), (command) => {
        for (const part of splitCommand(command) ?? []) {
          const plain = part
            .replaceAll(/\\[\s\S]|'[^']*'|"(?:\\[\s\S]|[^"])*"/g, '_')
            .replaceAll(/\\[\s\S]/g, '_');
          expect(plain).not.toMatch(/[;|&$`<>()#\n]/);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

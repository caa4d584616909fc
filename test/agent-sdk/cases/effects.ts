import type { Group } from '../case.js';
import { yes } from './answers.js';
import { bash, calls, edit, read, says, script, write } from './say.js';

/** (2) Calls with their inputs, and which of them took effect. */
export const effects: Group = {
  name: 'effects',
  aspects: ['calls', 'files'],
  cases: [
    {
      name: 'a new file',
      script: script(calls(write('a.txt', 'one\n')), says('Done.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { canUseTool: yes })),
    },
    {
      name: 'a new file in a new folder',
      script: script(calls(write('src/deep/a.txt')), says('Done.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { canUseTool: yes })),
    },
    {
      name: 'an edit after a read',
      files: { 'a.txt': 'one\ntwo\n' },
      script: script(calls(read('a.txt')), calls(edit('a.txt', 'two', 'three')), says('Done.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { canUseTool: yes })),
    },
    {
      name: 'an edit of a text that is not there',
      files: { 'a.txt': 'one\n' },
      script: script(calls(read('a.txt')), calls(edit('a.txt', 'nine', 'ten')), says('No.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { canUseTool: yes })),
    },
    {
      name: 'an edit of a text that is there twice',
      files: { 'a.txt': 'one one\n' },
      script: script(calls(read('a.txt')), calls(edit('a.txt', 'one', 'two')), says('No.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { canUseTool: yes })),
    },
    {
      name: 'an edit without a read',
      files: { 'a.txt': 'one\n' },
      script: script(calls(edit('a.txt', 'one', 'two')), says('Done.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { canUseTool: yes })),
    },
    {
      name: 'a file that is written over without a read',
      files: { 'a.txt': 'one\n' },
      script: script(calls(write('a.txt', 'two\n')), says('Done.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { canUseTool: yes })),
    },
    {
      name: 'a command',
      script: script(calls(bash('printf three > c.txt')), says('Done.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { canUseTool: yes })),
    },
    {
      name: 'a command whose end is not zero has its effects',
      script: script(calls(bash('printf four > d.txt; exit 3')), says('It failed.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { canUseTool: yes })),
    },
    {
      name: 'three calls at once, of which one fails',
      script: script(calls(write('a.txt'), read('missing.txt'), write('b.txt')), says('Done.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { canUseTool: yes })),
    },
    {
      name: 'two writes of one file at once: the last one stays',
      script: script(calls(write('a.txt', 'first\n'), write('a.txt', 'second\n')), says('Done.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { canUseTool: yes })),
    },
    {
      name: 'an input without a field that it needs',
      script: script(calls(['Write', { file_path: '<project>/a.txt' }]), says('Then not.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { canUseTool: yes })),
    },
    {
      name: 'searches',
      files: { 'src/a.ts': 'let a\n', 'src/b.ts': 'let b\n', 'c.md': 'let c\n' },
      script: script(
        calls(['Glob', { pattern: '**/*.ts' }], ['Grep', { pattern: 'let b' }]),
        says('Found.'),
      ),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go')),
    },
    {
      name: 'an input that the person changed',
      script: script(calls(write('a.txt', 'model\n')), says('Done.')),
      run: async (sdk, place) =>
        void (await place.ask(sdk, 'Go', {
          canUseTool: async (_name, input) => ({
            behavior: 'allow',
            updatedInput: { ...input, content: 'person\n' },
          }),
        })),
    },
    {
      name: 'a path beside the project',
      script: script(
        calls(['Write', { file_path: '<project>/../beside.txt', content: 'x' }]),
        says('Done.'),
      ),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go')),
    },
  ],
};

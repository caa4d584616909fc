import type { Group } from '../case.js';
import { always, decides, hook, no, noTo } from './answers.js';
import { bash, calls, edit, says, script, write } from './say.js';

/** (4) What the model is told of a call that did not run. */
export const denials: Group = {
  name: 'denials',
  aspects: ['results', 'files', 'end'],
  cases: [
    {
      name: 'the person said no',
      script: script(calls(write('a.txt')), says('Then not.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { canUseTool: no })),
    },
    {
      name: 'the person said no to a command',
      script: script(calls(bash('touch a.txt')), says('Then not.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { canUseTool: no })),
    },
    {
      name: 'the person said no to one of two calls',
      script: script(calls(write('a.txt'), bash('touch b.txt')), says('Half of it.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { canUseTool: noTo('Bash') })),
    },
    {
      name: 'the person said no, and to stop',
      script: script(calls(write('a.txt')), says('Then not.')),
      run: async (sdk, place) =>
        void (await place.ask(sdk, 'Go', {
          canUseTool: always({ behavior: 'deny', message: 'ours: stop it.', interrupt: true }),
        })),
    },
    {
      name: 'the person said to stop at the second of two calls',
      script: script(calls(write('a.txt'), bash('touch b.txt')), says('Then not.')),
      run: async (sdk, place) =>
        void (await place.ask(sdk, 'Go', {
          canUseTool: async (name, input) =>
            name === 'Write'
              ? { behavior: 'allow', updatedInput: input }
              : { behavior: 'deny', message: 'ours: stop it.', interrupt: true },
        })),
    },
    {
      name: 'nobody can be asked',
      script: script(calls(write('a.txt')), says('Then not.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go')),
    },
    {
      name: 'the mode asks nobody',
      script: script(calls(write('a.txt')), says('Then not.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { permissionMode: 'dontAsk' })),
    },
    {
      name: 'a rule denies it',
      files: { 'a.txt': 'one\n' },
      script: script(calls(edit('a.txt', 'one', 'two')), says('Then not.')),
      run: async (sdk, place) =>
        void (await place.ask(sdk, 'Go', { disallowedTools: ['Edit(a.txt)'] })),
    },
    {
      name: 'the tool is not there any more',
      script: script(calls(bash('touch a.txt')), says('Then not.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { disallowedTools: ['Bash'] })),
    },
    {
      name: 'a hook denies it',
      script: script(calls(write('a.txt')), says('Then not.')),
      run: async (sdk, place) =>
        void (await place.ask(sdk, 'Go', { hooks: { PreToolUse: [hook(decides('deny'))] } })),
    },
    {
      name: 'a callback that throws',
      script: script(calls(write('a.txt')), says('Then not.')),
      run: async (sdk, place) =>
        void (await place.ask(sdk, 'Go', {
          canUseTool: () => Promise.reject(new Error('ours: nobody is there.')),
        })),
    },
    {
      name: 'no, then yes to the same call',
      script: script(calls(write('a.txt')), calls(write('a.txt')), says('Done.')),
      run: async (sdk, place) => {
        let asked = 0;
        await place.ask(sdk, 'Go', {
          canUseTool: async (_name, input) => {
            asked += 1;
            if (asked === 1) return { behavior: 'deny', message: 'ours: not yet.' };
            return { behavior: 'allow', updatedInput: input };
          },
        });
      },
    },
  ],
};

import type { Group } from '../case.js';
import { yes } from './answers.js';
import { bash, calls, read, says, script, userInput, write } from './say.js';

async function* two() {
  yield userInput('First');
  yield userInput('Second');
}

/** (1) The order of messages: one `result`, and it is the last. */
export const order: Group = {
  name: 'order',
  aspects: ['order'],
  cases: [
    {
      name: 'a text alone',
      script: script(says('Hello.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Hi')),
    },
    {
      name: 'thinking before a text',
      script: script({ thinking: 'Well.', text: 'Hello.' }),
      run: async (sdk, place) => void (await place.ask(sdk, 'Hi')),
    },
    {
      name: 'one call',
      files: { 'b.txt': 'hello\n' },
      script: script(calls(read('b.txt')), says('Done.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go')),
    },
    {
      name: 'two reads at once after a text',
      files: { 'a.txt': 'a\n', 'b.txt': 'b\n' },
      script: script(calls('Both.', read('a.txt'), read('b.txt')), says('Done.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go')),
    },
    {
      name: 'two writes at once that are asked about',
      script: script(calls(write('a.txt'), write('b.txt')), says('Done.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { canUseTool: yes })),
    },
    {
      name: 'three rounds of calls',
      files: { 'b.txt': 'hello\n' },
      script: script(
        calls(read('b.txt')),
        calls('Now it.', write('a.txt')),
        calls(read('a.txt')),
        says('Done.'),
      ),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { canUseTool: yes })),
    },
    {
      name: 'a call that fails',
      script: script(calls(read('missing.txt')), says('It is not there.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go')),
    },
    {
      name: 'a command that fails',
      script: script(calls(bash('exit 3')), says('It failed.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { canUseTool: yes })),
    },
    {
      name: 'a tool that does not exist',
      script: script(calls(['NoSuchTool', { a: 1 }]), says('Then not.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go')),
    },
    {
      name: 'two messages of a prompt, with a result each',
      script: script(says('One.'), says('Two.')),
      run: async (sdk, place) => void (await place.ask(sdk, two())),
    },
    {
      name: 'a model that is overloaded once',
      script: script({
        text: 'Hello.',
        refuse: { status: 529, type: 'overloaded_error', message: 'Overloaded' },
        refusals: 1,
      }),
      run: async (sdk, place) => void (await place.ask(sdk, 'Hi')),
    },
    {
      name: 'a subagent that is waited for',
      files: { 'b.txt': 'hello\n' },
      script: [
        {
          replies: [
            calls([
              'Agent',
              {
                description: 'Reads it',
                prompt: 'Look into b',
                subagent_type: 'case-reader',
                run_in_background: false,
              },
            ]),
            says('It says hello.'),
          ],
        },
        { about: 'Look into b', replies: [calls(read('b.txt')), says('hello')] },
      ],
      run: async (sdk, place) =>
        void (await place.ask(sdk, 'Go', {
          tools: ['Read', 'Agent'],
          agents: {
            'case-reader': { description: 'Reads', prompt: 'You read.', tools: ['Read'] },
          },
        })),
    },
  ],
};

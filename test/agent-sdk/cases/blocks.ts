import type { Group } from '../case.js';
import { yes } from './answers.js';
import { calls, read, says, script, write } from './say.js';

/** (3) How a reply of several blocks is split into messages. */
export const blocks: Group = {
  name: 'blocks',
  aspects: ['blocks'],
  cases: [
    {
      name: 'one text',
      script: script(says('Hello.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Hi')),
    },
    {
      name: 'two texts',
      script: script({ parts: [{ text: 'One.' }, { text: 'Two.' }] }),
      run: async (sdk, place) => void (await place.ask(sdk, 'Hi')),
    },
    {
      name: 'thinking and a text',
      script: script({ thinking: 'Well.', text: 'Hello.' }),
      run: async (sdk, place) => void (await place.ask(sdk, 'Hi')),
    },
    {
      name: 'a call alone',
      files: { 'a.txt': 'a\n' },
      script: script(calls(read('a.txt')), says('Done.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go')),
    },
    {
      name: 'thinking, a text and two calls',
      files: { 'a.txt': 'a\n', 'b.txt': 'b\n' },
      script: script(
        {
          thinking: 'Well.',
          text: 'Both.',
          parts: calls(read('a.txt'), read('b.txt')).parts ?? [],
        },
        says('Done.'),
      ),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go')),
    },
    {
      name: 'a text between two calls',
      script: script(calls(write('a.txt'), 'And now b.', write('b.txt')), says('Done.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { canUseTool: yes })),
    },
    {
      name: 'a reply that is cut off at its length',
      script: script({ text: 'Hel', stop: 'max_tokens' }, says('lo.'), says('lo again.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Hi')),
    },
    {
      name: 'a reply with stream events',
      script: script({ thinking: 'Well.', text: 'Hello.' }),
      run: async (sdk, place) =>
        void (await place.ask(sdk, 'Hi', { includePartialMessages: true })),
    },
  ],
};

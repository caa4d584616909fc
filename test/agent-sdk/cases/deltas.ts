import type { Case, Group } from '../case.js';
import { yes } from './answers.js';
import { calls, read, says, script, write } from './say.js';
import type { Reply } from '../scripted-messages.js';

function ofReplies(name: string, ...replies: readonly Reply[]): Case {
  return {
    name,
    files: { 'b.txt': 'hello\n' },
    script: script(...replies),
    run: async (sdk, place) =>
      void (await place.ask(sdk, 'Go', { includePartialMessages: true, canUseTool: yes })),
  };
}

/** (11) What is streamed is what the messages say. */
export const deltas: Group = {
  name: 'deltas',
  aspects: ['deltas', 'order'],
  cases: [
    ofReplies('a text', says('Hello.')),
    ofReplies('a text in pieces', {
      parts: [{ text: 'One two three.', pieces: ['One', ' two', ' three.'] }],
    }),
    ofReplies('thinking and a text', { thinking: 'Well.', text: 'Hello.' }),
    ofReplies('two texts', { parts: [{ text: 'One.' }, { text: 'Two.' }] }),
    ofReplies('a call', calls(read('b.txt')), says('Done.')),
    ofReplies('a text and two calls', calls('Both.', read('b.txt'), write('a.txt')), says('Done.')),
    {
      name: 'none if they are not asked for',
      script: script(says('Hello.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go')),
    },
    {
      name: 'of a subagent',
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
          includePartialMessages: true,
          tools: ['Read', 'Agent'],
          agents: {
            'case-reader': { description: 'Reads', prompt: 'You read.', tools: ['Read'] },
          },
        })),
    },
  ],
};

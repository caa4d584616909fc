import * as z from 'zod';
import type { Group } from '../case.js';
import { always, no, yes } from './answers.js';
import { bash, calls, edit, read, says, script, write } from './say.js';

const questions = [
  {
    question: 'Which colour?',
    header: 'Colour',
    multiSelect: false,
    options: [
      { label: 'ours: red.', description: 'As a rose' },
      { label: 'ours: blue.', description: 'As the sea' },
    ],
  },
];

/** (5) What the callback is asked, and how often. */
export const asked: Group = {
  name: 'asked',
  aspects: ['asked', 'files'],
  cases: [
    {
      name: 'about a write',
      script: script(calls(write('a.txt')), says('Done.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { canUseTool: yes })),
    },
    {
      name: 'about an edit',
      files: { 'a.txt': 'one\n' },
      script: script(calls(read('a.txt')), calls(edit('a.txt', 'one', 'two')), says('Done.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { canUseTool: yes })),
    },
    {
      name: 'about a command',
      script: script(calls(bash('touch a.txt')), says('Done.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { canUseTool: yes })),
    },
    {
      name: 'not about a read of the project',
      files: { 'a.txt': 'one\n' },
      script: script(calls(read('a.txt')), says('Done.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { canUseTool: no })),
    },
    {
      name: 'about a read of another folder',
      script: script(calls(['Read', { file_path: '/etc/hostname' }]), says('Done.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { canUseTool: no })),
    },
    {
      name: 'about a write of another folder',
      script: script(calls(['Write', { file_path: '/tmp/of-no-case', content: 'x' }]), says('No.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { canUseTool: no })),
    },
    {
      name: 'not about a command that only reads',
      script: script(calls(bash('ls')), says('Done.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { canUseTool: no })),
    },
    {
      name: 'not about an allowed tool',
      script: script(calls(write('a.txt')), says('Done.')),
      run: async (sdk, place) =>
        void (await place.ask(sdk, 'Go', { canUseTool: no, allowedTools: ['Write'] })),
    },
    {
      name: 'not about a denied tool',
      script: script(calls(bash('touch a.txt')), says('Done.')),
      run: async (sdk, place) =>
        void (await place.ask(sdk, 'Go', { canUseTool: yes, disallowedTools: ['Bash(touch *)'] })),
    },
    {
      name: 'about each of two calls, one after the other',
      script: script(calls(write('a.txt'), write('b.txt')), says('Done.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { canUseTool: yes })),
    },
    {
      name: 'again about the same call after a no',
      script: script(calls(write('a.txt')), calls(write('a.txt')), says('Then not.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { canUseTool: no })),
    },
    {
      name: 'not about an input that does not fit',
      script: script(calls(['Write', { file_path: '<project>/a.txt' }]), says('Then not.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Go', { canUseTool: yes })),
    },
    {
      name: 'yes without an input takes the input of the call',
      script: script(calls(write('a.txt')), says('Done.')),
      run: async (sdk, place) =>
        void (await place.ask(sdk, 'Go', { canUseTool: always({ behavior: 'allow' }) })),
    },
    {
      name: 'yes with a rule for the session: the next call is not asked about',
      script: script(calls(bash('touch a.txt')), calls(bash('touch b.txt')), says('Done.')),
      run: async (sdk, place) =>
        void (await place.ask(sdk, 'Go', {
          canUseTool: always({
            behavior: 'allow',
            updatedPermissions: [
              {
                type: 'addRules',
                rules: [{ toolName: 'Bash', ruleContent: 'touch *' }],
                behavior: 'allow',
                destination: 'session',
              },
            ],
          }),
        })),
    },
    {
      name: 'yes with what was suggested: the next edit is not asked about',
      script: script(calls(write('a.txt')), calls(write('b.txt')), says('Done.')),
      run: async (sdk, place) =>
        void (await place.ask(sdk, 'Go', {
          canUseTool: async (_name, input, { suggestions = [] }) => ({
            behavior: 'allow',
            updatedInput: input,
            updatedPermissions: suggestions,
          }),
        })),
    },
    {
      name: 'yes with a rule that denies: the next call does not run',
      script: script(calls(bash('touch a.txt')), calls(bash('touch b.txt')), says('Done.')),
      run: async (sdk, place) =>
        void (await place.ask(sdk, 'Go', {
          canUseTool: always({
            behavior: 'allow',
            updatedPermissions: [
              {
                type: 'addRules',
                rules: [{ toolName: 'Bash', ruleContent: 'touch *' }],
                behavior: 'deny',
                destination: 'session',
              },
            ],
          }),
        })),
    },
    {
      name: 'a question of the model, which the person answers',
      script: script(calls(['AskUserQuestion', { questions }]), says('Red it is.')),
      also: ['results', 'told', 'end'],
      run: async (sdk, place) =>
        void (await place.ask(sdk, 'Go', {
          tools: ['AskUserQuestion'],
          canUseTool: async (_name, input) => ({
            behavior: 'allow',
            updatedInput: { ...input, answers: { 'Which colour?': 'ours: red.' } },
          }),
        })),
    },
    {
      name: 'a question of the model, which nobody answers',
      script: script(calls(['AskUserQuestion', { questions }]), says('Then not.')),
      also: ['results', 'end'],
      run: async (sdk, place) =>
        void (await place.ask(sdk, 'Go', { tools: ['AskUserQuestion'], canUseTool: no })),
    },
    {
      name: 'about a tool of the program',
      script: script(calls(['mcp__shop__order', { id: '7' }]), says('Done.')),
      run: async (sdk, place) => {
        const order = sdk.tool('order', 'Finds an order.', { id: z.string() }, async () => ({
          content: [{ type: 'text', text: 'ours: order 7.' }],
        }));
        const shop = sdk.createSdkMcpServer({ name: 'shop', version: '1.0.0', tools: [order] });
        await place.ask(sdk, 'Go', { canUseTool: yes, mcpServers: { shop } });
      },
    },
    {
      name: 'about a call of a subagent',
      script: [
        {
          replies: [
            calls([
              'Agent',
              {
                description: 'Writes it',
                prompt: 'Write the file a',
                subagent_type: 'case-writer',
                run_in_background: false,
              },
            ]),
            says('It is written.'),
          ],
        },
        { about: 'Write the file a', replies: [calls(write('a.txt')), says('Written.')] },
      ],
      run: async (sdk, place) =>
        void (await place.ask(sdk, 'Go', {
          canUseTool: yes,
          tools: ['Write', 'Agent'],
          agents: {
            'case-writer': { description: 'Writes', prompt: 'You write.', tools: ['Write'] },
          },
        })),
    },
  ],
};

import { bash, calls, edit, read, says, script, write } from './cases/say.js';
import type { Thread } from './scripted-messages.js';

/** A program of `programs/`, the model that it meets, and what it prints on either SDK. */
export interface Program {
  name: string;
  files?: Readonly<Record<string, string>>;
  script: readonly Thread[];
  /** Its lines. */
  prints: readonly string[];
  /** What is other over ours, and why in a sentence. Absent: nothing. */
  here?: {
    prints?: readonly string[];
    script?: readonly Thread[];
    /** A mark that lines are compared without. */
    without?: string;
    why: string;
  };
}

export const programs: readonly Program[] = [
  { name: 'one-shot', script: script(says('Four.')), prints: ['Four.'] },
  {
    name: 'chat-loop',
    script: script(says('Hello Ada.'), says('It is Ada.')),
    prints: ['> My name is Ada.', 'Hello Ada.', '> What is my name?', 'It is Ada.'],
  },
  {
    name: 'code-review',
    files: { 'src/a.js': 'let a = 1 / 0;\n' },
    script: script(
      calls(['Glob', { pattern: 'src/*.js' }], ['Grep', { pattern: '/ 0' }]),
      calls(read('src/a.js')),
      says('src/a.js divides by zero\nsrc/a.js has no test'),
    ),
    prints: ['used Glob, Grep, Read', '1. src/a.js divides by zero', '2. src/a.js has no test'],
  },
  {
    name: 'test-writer',
    files: { 'add.js': 'export const add = (a, b) => a + b;\n' },
    script: script(
      calls(read('add.js')),
      calls('Now the test.', write('add.test.js', 'assert(add(1, 1) === 2);\n')),
      says('Written.'),
    ),
    prints: ['add.test.js assert(add(1, 1) === 2);'],
  },
  {
    name: 'permission-bot',
    script: script(calls(bash('rm -r cache')), calls(write('clean.txt')), says('Tidy.')),
    prints: ['Bash: no', 'refused', 'Write: yes', 'done', 'Bash'],
  },
  {
    name: 'ci-bot',
    files: { 'a.js': 'lot a;\n' },
    script: script(
      calls(read('a.js')),
      calls(edit('a.js', 'lot', 'let')),
      calls(read('a.js')),
      says('Fixed.'),
    ),
    prints: ['{"passed":false,"why":"error_max_turns","turns":3}'],
    here: {
      prints: ['{"passed":false,"why":"error_max_turns","turns":4}'],
      why: 'After the last call with tools there is one reply without.',
    },
  },
  {
    name: 'budget-guard',
    files: { 'a.txt': 'a\n' },
    script: script(calls(read('a.txt')), says('Read.')),
    prints: ['over the budget: true', 'stopped'],
    here: {
      prints: ['over the budget: false', 'stopped'],
      why: 'What a call may cost is reserved before it: the budget is never overrun.',
    },
  },
  {
    name: 'custom-tools',
    script: script(
      calls(['mcp__shop__stock', { product: 'tea' }], ['mcp__shop__stock', { product: 'milk' }]),
      says('Three, and none.'),
    ),
    prints: ['mcp__shop__stock', 'false', 'true', 'Three, and none.', 'looked up tea and milk'],
  },
  {
    name: 'structured-output',
    script: script(calls(['StructuredOutput', { number: '7', total: 12.5 }]), says('Done.')),
    prints: ['7: 12.50'],
    here: {
      script: script(says('{"number":"7","total":12.5}')),
      why: 'The object is the reply itself, which the model is held to.',
    },
  },
  {
    name: 'resume-after-restart',
    script: script(says('I will.'), says('42.')),
    prints: ['a new session', 'I will.', 'the session of before', '42.'],
  },
  {
    name: 'audit-log',
    files: { 'a.txt': 'one\n' },
    script: script(calls(read('a.txt')), calls(write('a.txt', 'two\n')), says('Changed.')),
    prints: [
      'UserPromptSubmit -',
      'PreToolUse Read',
      'PreToolUse Write',
      'PostToolUse Write',
      'Stop -',
    ],
  },
  {
    name: 'several-messages',
    script: script(says('One, two.'), says('Three.')),
    prints: ['1: One, two.', '2: Three.', '1 session'],
  },
  {
    name: 'abort-button',
    script: script({ text: 'Once upon a time', hangs: true }),
    prints: ['aborted after "Once upon a time"'],
  },
  {
    name: 'subagents',
    files: { 'notes.txt': 'hello\n' },
    script: [
      {
        replies: [
          calls([
            'Agent',
            {
              description: 'Reads notes',
              prompt: 'Look into the notes',
              subagent_type: 'reader',
              run_in_background: false,
            },
          ]),
          says('They say hello.'),
        ],
      },
      { about: 'Look into the notes', replies: [calls(read('notes.txt')), says('hello')] },
    ],
    prints: ['main calls Agent', 'reader calls Read', 'They say hello.'],
  },
  {
    name: 'plan-then-act',
    script: script(says('I would write it.'), calls(write('made.txt')), says('Made.')),
    prints: ['plan: I would write it.', 'made: false', 'acceptEdits: Made.', 'made: true'],
  },
  {
    name: 'stream-tokens',
    script: script({ parts: [{ text: 'Hello you.', pieces: ['Hel', 'lo ', 'you.'] }] }),
    prints: ['Hel|lo |you.', 'true'],
    here: {
      without: '|',
      why: 'Deltas that come within some milliseconds are one.',
    },
  },
  {
    name: 'secret-guard',
    files: { '.env': 'TOKEN=1\n', 'notes.txt': 'hello\n' },
    script: script(calls(read('.env'), read('notes.txt')), says('Only the notes.')),
    prints: ['kept .env', 'false', 'false'],
  },
  {
    name: 'progress',
    files: { 'a.txt': 'a\n' },
    script: script(calls('First.', read('a.txt')), calls(write('b.txt'), read('a.txt')), says('.')),
    prints: ['[1] Read', '[2] Write', '[3] Read', '3 steps, 0 open'],
  },
  {
    name: 'fork-ideas',
    script: script(says('Go on.'), says('Argo')),
    prints: ['Argo or Argo', '3'],
  },
  {
    name: 'input-rewriter',
    script: script(calls(write('a.txt', 'x\n')), says('Written.')),
    prints: ['Written.', 'out a.txt'],
  },
  {
    name: 'one-tool-off',
    script: script(calls(bash('rm -r cache')), says('I cannot.')),
    prints: ['false', 'true', 'I cannot. 0'],
  },
];

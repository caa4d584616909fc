import type { Json, QueryOptions } from '../agent-sdk.js';
import type { Case, Group } from '../case.js';
import { no, yes } from './answers.js';
import { calls, read, says, script, userInput, write } from './say.js';
import type { Reply } from '../scripted-messages.js';

function ofReplies(name: string, replies: readonly Reply[], options: QueryOptions = {}): Case {
  return {
    name,
    files: { 'b.txt': 'hello\n' },
    script: script(...replies),
    run: async (sdk, place) => void (await place.ask(sdk, 'Go', options)),
  };
}

const round = calls(read('b.txt'));

const schema: Json = {
  type: 'object',
  properties: { city: { type: 'string' }, people: { type: 'integer' } },
  required: ['city', 'people'],
  additionalProperties: false,
};
const answer = (input: Json): Reply => calls(['StructuredOutput', input]);

/** (8) How a query ends: the kind of its result, the number of turns, and whether it throws. */
export const ends: Group = {
  name: 'ends',
  aspects: ['end'],
  cases: [
    ofReplies('a text', [says('Hello.')]),
    ofReplies('a call and a text', [round, says('Done.')]),
    ofReplies('two calls at once and a text', [calls(read('b.txt'), read('b.txt')), says('Done.')]),
    ofReplies('text before and after a call', [calls('First.', read('b.txt')), says('Last.')]),
    ofReplies('two texts in the last reply', [{ parts: [{ text: 'One.' }, { text: 'Two.' }] }]),
    ofReplies('a denied call', [calls(write('a.txt')), says('Then not.')], { canUseTool: no }),
    ofReplies('at most one turn, of a text', [says('Hello.')], { maxTurns: 1 }),
    ofReplies('at most one turn, of a call', [round, says('Done.')], { maxTurns: 1 }),
    ofReplies('at most two turns, of a call', [round, says('Done.')], { maxTurns: 2 }),
    ofReplies('at most two turns, of two calls', [round, round, says('Done.')], { maxTurns: 2 }),
    ofReplies('a budget that is not reached', [round, says('Done.')], { maxBudgetUsd: 5 }),
    ofReplies('a budget that the first reply overruns', [round, says('Done.')], {
      maxBudgetUsd: 0.000_01,
    }),
    ofReplies('a budget that the last reply overruns', [says('Done.')], {
      maxBudgetUsd: 0.000_01,
    }),
    ofReplies('a request that is refused', [
      { refuse: { status: 400, type: 'invalid_request_error', message: 'ours: no.' } },
    ]),
    ofReplies('a key that may not', [
      { refuse: { status: 403, type: 'permission_error', message: 'ours: no.' } },
    ]),
    ofReplies('a request that is refused after a call', [
      round,
      { refuse: { status: 400, type: 'invalid_request_error', message: 'ours: no.' } },
    ]),
    ofReplies('a model that refuses', [
      { text: 'I would rather not.', stop: 'refusal', category: 'cyber' },
      says('Sorry.'),
    ]),
    ofReplies('a reply without a block', [{ parts: [] }, says('Done.')]),
    ofReplies('a reply that ends at a stop sequence', [{ text: 'Hello.', stop: 'stop_sequence' }]),
    ofReplies('structured output', [answer({ city: 'Ulm', people: 3 })], {
      outputFormat: { type: 'json_schema', schema },
    }),
    ofReplies('structured output, then a text', [answer({ city: 'Ulm', people: 3 }), says('So.')], {
      outputFormat: { type: 'json_schema', schema },
    }),
    ofReplies(
      'structured output after a call and a wrong answer',
      [round, answer({ city: 'Ulm' }), answer({ city: 'Ulm', people: 3 }), says('So.')],
      { outputFormat: { type: 'json_schema', schema } },
    ),
    ofReplies(
      'structured output that is never right',
      Array.from({ length: 9 }, () => answer({ city: 'Ulm' })),
      { outputFormat: { type: 'json_schema', schema } },
    ),
    ofReplies(
      'structured output that never comes',
      Array.from({ length: 9 }, () => says('Ulm.')),
      {
        outputFormat: { type: 'json_schema', schema },
      },
    ),
    {
      name: 'a prompt of one message',
      script: script(says('Hello.')),
      run: async (sdk, place) => {
        async function* one() {
          yield userInput('Hi');
        }
        await place.ask(sdk, one());
      },
    },
    {
      name: 'at most one turn, of a prompt of one message',
      files: { 'b.txt': 'hello\n' },
      script: script(round, says('Done.')),
      run: async (sdk, place) => {
        async function* one() {
          yield userInput('Go');
        }
        await place.ask(sdk, one(), { maxTurns: 1, canUseTool: yes });
      },
    },
    {
      name: 'a prompt without a message',
      script: script(says('Hello.')),
      run: async (sdk, place) => {
        async function* none() {}
        await place.ask(sdk, none());
      },
    },
  ],
};

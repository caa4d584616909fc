import { EventEmitter, once } from 'node:events';
import type { Message, Query, UserInput } from '../agent-sdk.js';
import type { Group, Place } from '../case.js';
import { appears, endless, no, yes } from './answers.js';
import { isJson } from '../scripted-messages.js';
import { bash, calls, read, says, script, userInput, write } from './say.js';

const model = 'claude-sonnet-5';

/** A prompt whose next message is given by hand, and ended by `end`. */
function talk() {
  const waiting: UserInput[] = [];
  let ended = false;
  const changes = new EventEmitter();
  const change = (): boolean => changes.emit('change');
  async function* prompt(): AsyncGenerator<UserInput, void> {
    for (;;) {
      const next = waiting.shift();
      if (next !== undefined) yield next;
      else if (ended) return;
      else await once(changes, 'change');
    }
  }
  return {
    prompt: prompt(),
    say: (text: string): void => {
      waiting.push(userInput(text));
      change();
    },
    end: (): void => {
      ended = true;
      change();
    },
  };
}

/** Reads to the end, and tells each message to `act`. */
async function follow(
  query: Query,
  place: Place,
  act: (message: Message) => void | Promise<void>,
): Promise<void> {
  try {
    for await (const message of query) await act(message);
  } catch (error) {
    // What the query threw is in the recording, too.
    place.note('threw', error instanceof Error ? error.name : typeof error);
  }
}

const isResult = ({ type }: Message): boolean => type === 'result';

/** (10) Several messages in one query, and an interrupt amid a turn. */
export const turns: Group = {
  name: 'turns',
  aspects: ['order', 'end', 'history'],
  cases: [
    {
      name: 'a message after each result',
      script: script(says('One.'), says('Two.'), says('Three.')),
      run: async (sdk, place) => {
        const { prompt, say, end } = talk();
        say('First');
        let results = 0;
        await follow(sdk.query({ prompt, options: place.options() }), place, (message) => {
          if (!isResult(message)) return;
          results += 1;
          if (results === 1) say('Second');
          else if (results === 2) say('Third');
          else end();
        });
      },
    },
    {
      name: 'two messages at once',
      script: script(says('One.'), says('Two.')),
      run: async (sdk, place) => {
        async function* prompt() {
          yield userInput('First');
          yield userInput('Second');
        }
        await place.ask(sdk, prompt());
      },
    },
    {
      name: 'a message after a turn with calls',
      files: { 'b.txt': 'hello\n' },
      script: script(calls(read('b.txt')), says('One.'), says('Two.')),
      run: async (sdk, place) => {
        const { prompt, say, end } = talk();
        say('First');
        let results = 0;
        await follow(sdk.query({ prompt, options: place.options() }), place, (message) => {
          if (!isResult(message)) return;
          results += 1;
          if (results === 1) say('Second');
          else end();
        });
      },
    },
    {
      name: 'another mode for the second message',
      script: script(calls(write('a.txt')), says('One.'), calls(write('b.txt')), says('Two.')),
      also: ['asked', 'files'],
      run: async (sdk, place) => {
        const { prompt, say, end } = talk();
        say('First');
        let results = 0;
        const query = sdk.query({ prompt, options: place.options({ canUseTool: no }) });
        await follow(query, place, async (message) => {
          if (!isResult(message)) return;
          results += 1;
          if (results === 2) return end();
          await query.setPermissionMode('acceptEdits');
          say('Second');
        });
      },
    },
    {
      name: 'another model for the second message',
      script: script(says('One.'), says('Two.')),
      run: async (sdk, place) => {
        const { prompt, say, end } = talk();
        say('First');
        let results = 0;
        const query = sdk.query({ prompt, options: place.options() });
        await follow(query, place, async (message) => {
          if (message.type === 'assistant') place.note('by the new model', isOf(message, model));
          if (!isResult(message)) return;
          results += 1;
          if (results === 2) return end();
          await query.setModel(model);
          say('Second');
        });
      },
    },
    {
      name: 'an interrupt while the model answers, then another message',
      script: script({ text: 'One and', hangs: true }, says('Two.')),
      run: async (sdk, place) => {
        const { prompt, say, end } = talk();
        say('First');
        let interrupted = false;
        const query = sdk.query({
          prompt,
          options: place.options({ includePartialMessages: true }),
        });
        await follow(query, place, async (message) => {
          if (message.type === 'stream_event' && !interrupted && isDelta(message)) {
            interrupted = true;
            await query.interrupt();
          }
          if (!isResult(message)) return;
          if (message.subtype === 'success') return end();
          say('Second');
        });
      },
    },
    {
      name: 'an interrupt while a command runs, then another message',
      // Ours tell the model of the interrupt in a message of its own: for them it is one place later.
      script: script(calls(bash(endless)), says('Two.'), says('Two.')),
      also: ['calls', 'files'],
      run: async (sdk, place) => {
        const { prompt, say, end } = talk();
        say('First');
        const query = sdk.query({ prompt, options: place.options({ canUseTool: yes }) });
        let results = 0;
        await follow(query, place, async (message) => {
          if (message.type === 'assistant' && results === 0) {
            await appears(`${place.folder}/started.txt`);
            await query.interrupt();
          }
          if (!isResult(message)) return;
          results += 1;
          if (results === 2) return end();
          say('Second');
        });
      },
    },
    {
      name: 'an interrupt while the person is asked',
      script: script(calls(write('a.txt')), says('Two.')),
      also: ['asked', 'files'],
      run: async (sdk, place) => {
        const { prompt, say, end } = talk();
        say('First');
        const query: Query = sdk.query({
          prompt,
          options: place.options({
            canUseTool: async (_name, input, { signal }) => {
              const aborted = new Promise<void>((resolve) => {
                signal.addEventListener('abort', () => resolve(), { once: true });
              });
              await query.interrupt();
              await aborted;
              return { behavior: 'allow', updatedInput: input };
            },
          }),
        });
        await follow(query, place, (message) => {
          if (isResult(message)) end();
        });
      },
    },
    {
      name: 'a message while a turn runs',
      script: script(calls(write('a.txt')), says('One.'), says('Two.')),
      also: ['files'],
      run: async (sdk, place) => {
        const { prompt, say, end } = talk();
        say('First');
        const query = sdk.query({
          prompt,
          options: place.options({
            canUseTool: async (_name, input) => {
              say('ours: second.');
              return { behavior: 'allow', updatedInput: input };
            },
          }),
        });
        await follow(query, place, (message) => {
          if (isResult(message)) end();
        });
      },
    },
    {
      name: 'an interrupt with nothing to interrupt',
      script: script(says('One.'), says('Two.')),
      run: async (sdk, place) => {
        const { prompt, say, end } = talk();
        say('First');
        let results = 0;
        const query = sdk.query({ prompt, options: place.options() });
        await follow(query, place, async (message) => {
          if (!isResult(message)) return;
          results += 1;
          if (results === 2) return end();
          await query.interrupt();
          say('Second');
        });
      },
    },
  ],
};

function isOf({ message }: Message, model: string): boolean {
  return isJson(message) && message['model'] === model;
}

function isDelta({ event }: Message): boolean {
  return JSON.stringify(event).includes('content_block_delta');
}

import type { Message, Query } from '../agent-sdk.js';
import type { Group, Place } from '../case.js';
import { appears, endless, yes } from './answers.js';
import { bash, calls, says, script, write } from './say.js';

/** Reads until it ends or throws, and tells each message to `act`; notes the kind of what it threw. */
async function follow(
  query: Query,
  place: Place,
  act: (message: Message) => void | Promise<void>,
): Promise<void> {
  try {
    for await (const message of query) await act(message);
    place.note('ended');
  } catch (error) {
    place.note('threw', error instanceof Error ? error.name : typeof error);
  }
}

/** (14) A query that is aborted. */
export const abort: Group = {
  name: 'abort',
  aspects: ['order', 'end', 'files'],
  cases: [
    {
      name: 'before it begins',
      script: script(says('Hello.')),
      run: async (sdk, place) => {
        const abortController = new AbortController();
        abortController.abort();
        const query = sdk.query({ prompt: 'Hi', options: place.options({ abortController }) });
        await follow(query, place, () => {});
      },
    },
    {
      name: 'at its first message',
      script: script({ text: 'Hel', hangs: true }),
      run: async (sdk, place) => {
        const abortController = new AbortController();
        const query = sdk.query({ prompt: 'Hi', options: place.options({ abortController }) });
        await follow(query, place, () => abortController.abort());
      },
    },
    {
      name: 'while the model answers',
      script: script({ text: 'Hel', hangs: true }),
      run: async (sdk, place) => {
        const abortController = new AbortController();
        const options = place.options({ abortController, includePartialMessages: true });
        const query = sdk.query({ prompt: 'Hi', options });
        await follow(query, place, ({ event }) => {
          if (JSON.stringify(event ?? null).includes('content_block_delta'))
            abortController.abort();
        });
      },
    },
    {
      name: 'while a command runs',
      script: script(calls(bash(endless)), says('Done.')),
      run: async (sdk, place) => {
        const abortController = new AbortController();
        const query = sdk.query({
          prompt: 'Hi',
          options: place.options({ abortController, canUseTool: yes }),
        });
        await follow(query, place, async ({ type }) => {
          if (type !== 'assistant') return;
          await appears(`${place.folder}/started.txt`);
          abortController.abort();
        });
      },
    },
    {
      name: 'while the person is asked',
      script: script(calls(write('a.txt')), says('Done.')),
      run: async (sdk, place) => {
        const abortController = new AbortController();
        const query = sdk.query({
          prompt: 'Hi',
          options: place.options({
            abortController,
            canUseTool: async (_name, input, { signal }) => {
              abortController.abort();
              place.note('its signal', signal.aborted);
              return { behavior: 'allow', updatedInput: input };
            },
          }),
        });
        await follow(query, place, () => {});
      },
    },
    {
      name: 'after its end',
      script: script(says('Hello.')),
      run: async (sdk, place) => {
        const abortController = new AbortController();
        const query = sdk.query({ prompt: 'Hi', options: place.options({ abortController }) });
        await follow(query, place, ({ type }) => {
          if (type === 'result') abortController.abort();
        });
      },
    },
    {
      name: 'a reader that leaves while the model answers',
      script: script({ text: 'Hel', hangs: true }),
      run: async (sdk, place) => {
        const query = sdk.query({
          prompt: 'Hi',
          options: place.options({ includePartialMessages: true }),
        });
        for await (const { type } of query) if (type === 'stream_event') break;
        const next = await query.next();
        place.note('nothing follows', next.done);
      },
    },
    {
      name: 'a reader that leaves before a call',
      script: script(calls('I write.', write('a.txt')), says('Done.')),
      run: async (sdk, place) => {
        const query = sdk.query({ prompt: 'Hi', options: place.options({ canUseTool: yes }) });
        for await (const { type } of query) if (type === 'system') break;
        const next = await query.next();
        place.note('nothing follows', next.done);
      },
    },
    {
      name: 'close while the model answers',
      script: script({ text: 'Hel', hangs: true }),
      run: async (sdk, place) => {
        const query = sdk.query({
          prompt: 'Hi',
          options: place.options({ includePartialMessages: true }),
        });
        await follow(query, place, ({ type }) => {
          if (type === 'stream_event') query.close?.();
        });
      },
    },
    {
      name: 'resume after an abort',
      script: script({ text: 'Hel', hangs: true }, says('Two.'), says('Three.')),
      also: ['history'],
      run: async (sdk, place) => {
        const abortController = new AbortController();
        const options = place.options({ abortController, includePartialMessages: true });
        const query = sdk.query({ prompt: 'First', options });
        let resume = '';
        await follow(query, place, ({ event, session_id = '' }) => {
          resume = session_id;
          if (JSON.stringify(event ?? null).includes('content_block_delta'))
            abortController.abort();
        });
        await place.ask(sdk, 'Second', { resume });
      },
    },
  ],
};

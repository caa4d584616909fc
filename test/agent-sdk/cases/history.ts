import type { Json } from '../agent-sdk.js';
import type { Group } from '../case.js';
import { no, yes } from './answers.js';
import { calls, read, says, script, write } from './say.js';

const texts = (messages: readonly Json[]): unknown[] => messages.map(({ type }) => type);

/** (9) What the model is sent after a resume, a fork, or a `continue`. */
export const history: Group = {
  name: 'history',
  aspects: ['history', 'end'],
  cases: [
    {
      name: 'resume',
      script: script(says('One.'), says('Two.')),
      run: async (sdk, place) => {
        const { sessionId } = await place.ask(sdk, 'First');
        await place.ask(sdk, 'Second', { resume: sessionId });
      },
      also: ['order'],
    },
    {
      name: 'resume after calls',
      files: { 'b.txt': 'hello\n' },
      script: script(calls('I look.', read('b.txt'), write('a.txt')), says('One.'), says('Two.')),
      run: async (sdk, place) => {
        const { sessionId } = await place.ask(sdk, 'First', { canUseTool: yes });
        await place.ask(sdk, 'Second', { resume: sessionId });
      },
    },
    {
      name: 'resume after a denied call',
      script: script(calls(write('a.txt')), says('One.'), says('Two.')),
      run: async (sdk, place) => {
        const { sessionId } = await place.ask(sdk, 'First', { canUseTool: no });
        await place.ask(sdk, 'Second', { resume: sessionId });
      },
    },
    {
      name: 'resume after thinking',
      script: script({ thinking: 'Well.', text: 'One.' }, says('Two.')),
      run: async (sdk, place) => {
        const { sessionId } = await place.ask(sdk, 'First');
        await place.ask(sdk, 'Second', { resume: sessionId });
      },
    },
    {
      name: 'resume twice',
      script: script(says('One.'), says('Two.'), says('Three.')),
      run: async (sdk, place) => {
        const first = await place.ask(sdk, 'First');
        const second = await place.ask(sdk, 'Second', { resume: first.sessionId });
        await place.ask(sdk, 'Third', { resume: second.sessionId });
        place.note('the same session', first.sessionId === second.sessionId);
      },
    },
    {
      name: 'continue',
      script: script(says('One.'), says('Two.')),
      run: async (sdk, place) => {
        const first = await place.ask(sdk, 'First');
        const second = await place.ask(sdk, 'Second', { continue: true });
        place.note('the same session', first.sessionId === second.sessionId);
      },
    },
    {
      name: 'continue where nothing was',
      script: script(says('One.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'First', { continue: true })),
    },
    {
      name: 'fork, then the first one again',
      script: script(says('One.'), says('Two.')),
      run: async (sdk, place) => {
        const first = await place.ask(sdk, 'First');
        const fork = await place.ask(sdk, 'Left', { resume: first.sessionId, forkSession: true });
        await place.ask(sdk, 'Right', { resume: first.sessionId });
        place.note('another session', first.sessionId !== fork.sessionId);
      },
    },
    {
      name: 'an own id',
      script: script(says('One.'), says('Two.')),
      run: async (sdk, place) => {
        const sessionId = '7d1f9d3a-52d7-4b3a-9a8e-0e6c2f6d9b10';
        const asked = await place.ask(sdk, 'First', { sessionId });
        place.note('it is the id', asked.sessionId === sessionId);
        await place.ask(sdk, 'Second', { resume: sessionId });
      },
    },
    {
      name: 'an own id twice',
      script: script(says('One.'), says('Two.')),
      run: async (sdk, place) => {
        const sessionId = '7d1f9d3a-52d7-4b3a-9a8e-0e6c2f6d9b11';
        await place.ask(sdk, 'First', { sessionId });
        const { threw } = await place.ask(sdk, 'Second', { sessionId });
        place.note('the second threw', threw);
      },
    },
    {
      name: 'resume of a session that is not there',
      script: script(says('One.')),
      run: async (sdk, place) => {
        const resume = '7d1f9d3a-52d7-4b3a-9a8e-0e6c2f6d9b12';
        const { threw } = await place.ask(sdk, 'First', { resume });
        place.note('it threw', threw);
      },
    },
    {
      name: 'resume at an earlier reply',
      script: script(says('One.'), says('Two.'), says('Three.')),
      run: async (sdk, place) => {
        const first = await place.ask(sdk, 'First');
        const at = first.uuids.findLast(({ type }) => type === 'assistant');
        await place.ask(sdk, 'Second', { resume: first.sessionId });
        await place.ask(sdk, 'Again', {
          resume: first.sessionId,
          ...(at === undefined ? {} : { resumeSessionAt: at.uuid }),
        });
      },
    },
    {
      name: 'resume after an error',
      script: script(
        says('One.'),
        {
          text: 'Three.',
          refuse: { status: 403, type: 'permission_error', message: 'ours: no.' },
          refusals: 1,
        },
        says('Four.'),
      ),
      run: async (sdk, place) => {
        const { sessionId } = await place.ask(sdk, 'First');
        await place.ask(sdk, 'Second', { resume: sessionId });
        await place.ask(sdk, 'Third', { resume: sessionId });
      },
    },
    {
      name: 'resume after the most turns',
      files: { 'b.txt': 'hello\n' },
      script: script(calls(read('b.txt')), says('Two.'), says('Three.')),
      run: async (sdk, place) => {
        const { sessionId } = await place.ask(sdk, 'First', { maxTurns: 1 });
        await place.ask(sdk, 'Second', { resume: sessionId });
      },
    },
    {
      name: 'the messages of a session',
      files: { 'b.txt': 'hello\n' },
      script: script(calls('I look.', read('b.txt')), says('One.')),
      run: async (sdk, place) => {
        const { sessionId } = await place.ask(sdk, 'First');
        const all = await sdk.getSessionMessages(sessionId, { dir: place.folder });
        place.note('messages', texts(all));
        const some = await sdk.getSessionMessages(sessionId, {
          dir: place.folder,
          offset: 1,
          limit: 2,
        });
        place.note('the second and third', texts(some));
      },
    },
    {
      name: 'the list of sessions',
      script: script(says('One.')),
      run: async (sdk, place) => {
        const first = await place.ask(sdk, 'First');
        const second = await place.ask(sdk, 'Second');
        const listed = await sdk.listSessions({ dir: place.folder });
        const ids = listed.map(({ sessionId }) => sessionId);
        place.note('both', ids.length === 2 && ids.includes(first.sessionId));
        place.note('the newest first', ids[0] === second.sessionId);
        const info = await sdk.getSessionInfo(first.sessionId, { dir: place.folder });
        place.note('the first prompt', info?.['firstPrompt']);
      },
    },
    {
      name: 'a session with a new name, and one that is gone',
      script: script(says('One.')),
      run: async (sdk, place) => {
        const { sessionId } = await place.ask(sdk, 'First');
        const where = { dir: place.folder };
        await sdk.renameSession(sessionId, 'ours: a title.', where);
        const info = await sdk.getSessionInfo(sessionId, where);
        place.note('its title', info?.['customTitle'] ?? info?.['summary']);
        await sdk.deleteSession(sessionId, where);
        place.note('it is gone', (await sdk.getSessionInfo(sessionId, where)) === undefined);
        place.note('no messages', (await sdk.getSessionMessages(sessionId, where)).length);
      },
    },
    {
      name: 'a copy of a session',
      script: script(says('One.'), says('Two.')),
      run: async (sdk, place) => {
        const first = await place.ask(sdk, 'First');
        const copy = await sdk.forkSession(first.sessionId, { dir: place.folder });
        place.note('another session', copy.sessionId !== first.sessionId);
        await place.ask(sdk, 'Second', { resume: copy.sessionId });
      },
    },
  ],
};

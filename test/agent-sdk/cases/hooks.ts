import type { CanUseTool, Hook, HookMatcher, Json, QueryOptions } from '../agent-sdk.js';
import type { Case, Group } from '../case.js';
import { decides, hook, no, yes } from './answers.js';
import { bash, calls, read, says, script, write } from './say.js';

/** A case of one write, with hooks. */
function ofWrite(
  name: string,
  hooks: NonNullable<QueryOptions['hooks']>,
  more: QueryOptions = {},
): Case {
  return {
    name,
    script: script(calls(write('a.txt', 'model\n')), says('Done.'), says('Done again.')),
    run: async (sdk, place) =>
      void (await place.ask(sdk, 'Go', { canUseTool: yes, ...more, hooks })),
  };
}

const before = (...matchers: HookMatcher[]): { PreToolUse: HookMatcher[] } => ({
  PreToolUse: matchers,
});

const context = (event: string): Json => ({
  hookSpecificOutput: { hookEventName: event, additionalContext: 'ours: mind the gap.' },
});

const throwing: Hook = () => Promise.reject(new Error('ours: it broke.'));

/** Answers when the SDK gives up. */
const late: Hook = (_input, _id, { signal }) =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve({}), { once: true }));

/** A person who is never there. */
const absent: CanUseTool = (_name, _input, { signal }) =>
  new Promise((resolve) => {
    const leave = (): void => resolve({ behavior: 'deny', message: 'ours: nobody came.' });
    signal.addEventListener('abort', leave, { once: true });
  });

/** (7) Which hooks are called, with what, in which order, and what their answers do. */
export const hooks: Group = {
  name: 'hooks',
  aspects: ['hooks', 'calls', 'files', 'results', 'told', 'end'],
  cases: [
    ofWrite('a hook that says nothing', before(hook({}))),
    ofWrite('allow: the person is not asked', before(hook(decides('allow')))),
    ofWrite('deny', before(hook(decides('deny')))),
    ofWrite('ask', before(hook(decides('ask')))),
    ofWrite('ask, of an allowed tool', before(hook(decides('ask'))), { allowedTools: ['Write'] }),
    ofWrite('ask, and the person says no', before(hook(decides('ask'))), { canUseTool: no }),
    ofWrite('allow does not lift a rule that denies', before(hook(decides('allow'))), {
      disallowedTools: ['Edit(a.txt)'],
    }),
    ofWrite('allow, in the mode plan', before(hook(decides('allow'))), { permissionMode: 'plan' }),
    ofWrite('allow, in the mode dontAsk', before(hook(decides('allow'))), {
      permissionMode: 'dontAsk',
    }),
    ofWrite('deny, of an allowed tool', before(hook(decides('deny'))), { allowedTools: ['Write'] }),
    ofWrite('defer', before(hook(decides('defer')))),
    ofWrite(
      'allow with another input',
      before(hook(decides('allow', { updatedInput: { file_path: 'b.txt', content: 'hook\n' } }))),
    ),
    ofWrite(
      'another input without a decision is what the person is asked about',
      before(
        hook({
          hookSpecificOutput: {
            hookEventName: 'PreToolUse',
            updatedInput: { file_path: 'b.txt', content: 'hook\n' },
          },
        }),
      ),
    ),
    ofWrite(
      'two hooks: deny is more than allow',
      before(hook(decides('allow')), hook(decides('deny'))),
    ),
    ofWrite(
      'two hooks: ask is more than allow',
      before(hook(decides('allow')), hook(decides('ask'))),
    ),
    ofWrite(
      'two hooks: deny is more than ask',
      before(hook(decides('deny')), hook(decides('ask'))),
    ),
    ofWrite('a matcher with the name', before(hook(decides('deny'), 'Write'))),
    ofWrite('a matcher with another name', before(hook(decides('deny'), 'Edit'))),
    ofWrite('a matcher with a part of the name', before(hook(decides('deny'), 'Wri'))),
    ofWrite('a matcher with two names', before(hook(decides('deny'), 'Edit|Write'))),
    ofWrite('a matcher with a pattern', before(hook(decides('deny'), 'W.*'))),
    ofWrite('a matcher with a star', before(hook(decides('deny'), '*'))),
    ofWrite('a matcher in another case', before(hook(decides('deny'), 'write'))),
    ofWrite('the old form of deny', before(hook({ decision: 'block', reason: 'ours: blocked.' }))),
    ofWrite('a hook that throws', before({ hooks: [throwing] })),
    ofWrite('a hook that takes too long', before({ timeout: 1, hooks: [late] })),
    ofWrite(
      'a hook that ends the turn',
      before(hook({ continue: false, stopReason: 'ours: enough.' })),
    ),
    ofWrite('context before a call', before(hook(context('PreToolUse')))),
    ofWrite('after a call', { PostToolUse: [hook({})] }),
    ofWrite('context after a call', { PostToolUse: [hook(context('PostToolUse'))] }),
    ofWrite('block after a call', {
      PostToolUse: [hook({ decision: 'block', reason: 'ours: blocked.' })],
    }),
    ofWrite('not after a call that was denied', { PostToolUse: [hook({})] }, { canUseTool: no }),
    ofWrite('before, the person, after', { ...before(hook({})), PostToolUse: [hook({})] }),
    ofWrite('at the end', { Stop: [hook({})] }),
    ofWrite('at the begin of a turn', { UserPromptSubmit: [hook({})] }),
    ofWrite('context at the begin of a turn', {
      UserPromptSubmit: [hook(context('UserPromptSubmit'))],
    }),
    ofWrite('block at the begin of a turn', {
      UserPromptSubmit: [hook({ decision: 'block', reason: 'ours: not this prompt.' })],
    }),
    ofWrite('at the begin of the session', { SessionStart: [hook({})] }),
    ofWrite(
      'a question that a hook answers',
      {
        PermissionRequest: [
          hook({
            hookSpecificOutput: {
              hookEventName: 'PermissionRequest',
              decision: { behavior: 'allow' },
            },
          }),
        ],
      },
      { canUseTool: absent },
    ),
    ofWrite(
      'a question that a hook denies',
      {
        PermissionRequest: [
          hook({
            hookSpecificOutput: {
              hookEventName: 'PermissionRequest',
              decision: { behavior: 'deny', message: 'ours: a hook said no.' },
            },
          }),
        ],
      },
      { canUseTool: absent },
    ),
    {
      name: 'the end is blocked once',
      script: script(says('One.'), says('Two.')),
      run: async (sdk, place) => {
        const block: Hook = async ({ stop_hook_active }) =>
          stop_hook_active === true ? {} : { decision: 'block', reason: 'ours: go on.' };
        await place.ask(sdk, 'Go', { hooks: { Stop: [{ hooks: [block] }] } });
      },
    },
    {
      name: 'each of two calls',
      files: { 'b.txt': 'hello\n' },
      script: script(calls(read('b.txt'), bash('touch c.txt')), says('Done.')),
      run: async (sdk, place) =>
        void (await place.ask(sdk, 'Go', {
          canUseTool: yes,
          hooks: before(hook({})),
        })),
    },
    {
      name: 'defer at one of two calls',
      files: { 'b.txt': 'hello\n' },
      script: script(calls(write('a.txt'), bash('touch c.txt')), says('Done.')),
      run: async (sdk, place) =>
        void (await place.ask(sdk, 'Go', {
          canUseTool: yes,
          hooks: before(hook(decides('defer'), 'Write')),
        })),
    },
    {
      name: 'defer, then a resume where the hook allows it',
      script: script(calls(write('a.txt')), says('Done.'), says('Done again.')),
      also: ['order', 'history'],
      run: async (sdk, place) => {
        const first = await place.ask(sdk, 'Go', { hooks: before(hook(decides('defer'))) });
        await place.ask(sdk, 'Something else', {
          resume: first.sessionId,
          hooks: before(hook(decides('allow'))),
        });
      },
    },
    {
      name: 'at the begin and the end of a subagent',
      script: [
        {
          replies: [
            calls([
              'Agent',
              {
                description: 'Says it',
                prompt: 'Say hello',
                subagent_type: 'case-talker',
                run_in_background: false,
              },
            ]),
            says('Done.'),
          ],
        },
        { about: 'Say hello', replies: [says('Hello.')] },
      ],
      run: async (sdk, place) =>
        void (await place.ask(sdk, 'Go', {
          tools: ['Read', 'Agent'],
          agents: { 'case-talker': { description: 'Talks', prompt: 'You talk.' } },
          hooks: { SubagentStart: [hook({})], SubagentStop: [hook({})], Stop: [hook({})] },
        })),
    },
    {
      name: 'at the begin and the end of a session, and of one that goes on',
      script: script(says('One.'), says('Two.')),
      run: async (sdk, place) => {
        const hooks = { SessionStart: [hook({})], SessionEnd: [hook({})] };
        const first = await place.ask(sdk, 'First', { hooks });
        await place.ask(sdk, 'Second', { hooks, resume: first.sessionId });
      },
    },
    {
      name: 'a notice that the person is asked',
      script: script(calls(write('a.txt')), says('Done.')),
      run: async (sdk, place) =>
        void (await place.ask(sdk, 'Go', {
          canUseTool: yes,
          hooks: { Notification: [hook({})], PermissionDenied: [hook({})] },
        })),
    },
    {
      name: 'after a call that failed',
      script: script(calls(read('missing.txt')), says('Done.')),
      run: async (sdk, place) =>
        void (await place.ask(sdk, 'Go', {
          hooks: { PostToolUse: [hook({})], PostToolUseFailure: [hook({})] },
        })),
    },
  ],
};

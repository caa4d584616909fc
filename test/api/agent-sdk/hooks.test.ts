import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  connect,
  type HookCallback,
  type HookInput,
  type HookOutput,
  type Options,
} from '../../../src/agent-sdk/connect.js';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import { expectSoon } from '../../support/expect-soon.js';
import { parseSamples, valueOf } from '../../support/metrics/scrape.js';
import { collect, collectThrown, kindsOf, outputsOf } from '../../support/agent-sdk/read-query.js';
import { useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

describe('hooks in the program of a query', () => {
  const server = useServer();
  const sdk = useShared(() => connect(new TurnpikeClient({ url: server.url })));
  const run = (prompt: string, options: Options) =>
    collect(sdk.query({ prompt, options: { cwd: server.projectRoot, ...options } }));
  const writing = (name: string): string =>
    `[[tool=write ${JSON.stringify({ file_path: name, content: 'one' })}]]`;
  const before =
    (specific: Record<string, unknown>): HookCallback =>
    () => ({
      hookSpecificOutput: { hookEventName: 'PreToolUse', ...specific },
    });

  it('see each call before it runs, and its result', async () => {
    const seen: unknown[] = [];
    const note: HookCallback = (input, toolUseID) => {
      seen.push([input.hook_event_name, input.tool_name, typeof toolUseID, input.tool_response]);
      return {};
    };
    const messages = await run(
      '[[tool=glob {"pattern":"*.none"}]] [[tool=read {"file_path":"gone"}]]',
      {
        hooks: {
          PreToolUse: [{ hooks: [note] }],
          PostToolUse: [{ matcher: 'Glob', hooks: [note] }],
        },
      },
    );
    expect(seen).toHaveLength(3);
    expect(seen).toEqual(
      expect.arrayContaining([
        ['PreToolUse', 'Glob', 'string', undefined],
        ['PreToolUse', 'Read', 'string', undefined],
        ['PostToolUse', 'Glob', 'string', expect.any(String)],
      ]),
    );
    // What only reads runs unasked, as without hooks.
    expect(outputsOf(messages)).toHaveLength(2);
    expect(kindsOf(messages).at(-1)).toBe('result/success');
  });

  it('deny a call that is allowed, and answer the question of one that is not', async () => {
    const denied = await run(writing('a.txt'), {
      allowedTools: ['Write'],
      hooks: {
        PreToolUse: [
          {
            matcher: 'Edit|Write',
            hooks: [before({ permissionDecision: 'deny', permissionDecisionReason: 'Frozen.' })],
          },
        ],
      },
    });
    expect(outputsOf(denied)).toEqual([expect.stringContaining('Frozen.')]);
    const allowed = await run(writing('b.txt'), {
      hooks: { PreToolUse: [{ hooks: [before({ permissionDecision: 'allow' })] }] },
    });
    expect(outputsOf(allowed)).toEqual([expect.stringContaining('wrote 3 bytes')]);
  });

  it('do not allow what a rule denies', async () => {
    const messages = await run('[[tool=bash {"command":"rm -f x"}]]', {
      disallowedTools: ['Bash(rm:*)'],
      hooks: { PreToolUse: [{ hooks: [before({ permissionDecision: 'allow' })] }] },
    });
    expect(outputsOf(messages)).toEqual([expect.stringContaining('permission denied')]);
  });

  it('change the input of a call', async () => {
    await run(writing('c.txt'), {
      allowedTools: ['Write'],
      hooks: {
        PreToolUse: [{ hooks: [before({ updatedInput: { file_path: 'c.txt', content: 'two' } })] }],
      },
    });
    expect(await readFile(path.join(server.projectRoot, 'c.txt'), 'utf8')).toBe('two');
  });

  it.each<[string, HookCallback, string]>([
    ['throws', () => Promise.reject(new Error('out of order')), 'out of order'],
    [
      'takes too long',
      () => new Promise<HookOutput>(() => undefined),
      'did not answer within 0.01 s',
    ],
  ])('deny the call where one %s', async (_what, hook, words) => {
    const messages = await run('[[tool=glob {"pattern":"*"}]]', {
      hooks: { PreToolUse: [{ hooks: [hook], timeout: 0.01 }] },
    });
    expect(outputsOf(messages)).toEqual([expect.stringContaining(words)]);
  });

  it('are asked before canUseTool, and told that it is asked', async () => {
    const told: unknown[] = [];
    const messages = await run(writing('d.txt'), {
      hooks: {
        PermissionRequest: [
          {
            hooks: [
              () => ({
                hookSpecificOutput: {
                  hookEventName: 'PermissionRequest',
                  decision: { behavior: 'deny', message: 'By a hook.' },
                },
              }),
            ],
          },
        ],
        Notification: [{ hooks: [({ message }) => (told.push(message), {})] }],
      },
      canUseTool: () => ({ behavior: 'allow' }),
    });
    expect(outputsOf(messages)).toEqual([expect.stringContaining('By a hook.')]);
    expect(told).toEqual(['Write needs a permission']);
  });

  it('add to what the model is told, and block a message', async () => {
    const context =
      (event: string, additionalContext: string): HookCallback =>
      () => ({
        hookSpecificOutput: { hookEventName: event, additionalContext },
      });
    await run('Hello', {
      systemPrompt: 'Answer in verse.',
      hooks: {
        SessionStart: [{ hooks: [context('SessionStart', 'It is Monday.')] }],
        UserPromptSubmit: [{ hooks: [context('UserPromptSubmit', 'It rains.')] }],
      },
    });
    const text = JSON.stringify(server.modelRequests.at(-1));
    for (const said of ['Answer in verse.', 'It is Monday.', 'It rains.']) {
      expect(text).toContain(said);
    }
    const before = server.modelRequests.length;
    const blocked = await run('Hello', {
      hooks: { UserPromptSubmit: [{ hooks: [() => ({ decision: 'block', reason: 'No.' })] }] },
    });
    expect(blocked).toMatchObject([
      { type: 'result', subtype: 'success', num_turns: 0, result: 'No.' },
    ]);
    expect(server.modelRequests).toHaveLength(before);
  });

  it('have the conversation go on where it would stop', async () => {
    const active: unknown[] = [];
    const messages = await run('Hello', {
      hooks: {
        Stop: [
          {
            hooks: [
              ({ stop_hook_active: isActive }: HookInput) => {
                active.push(isActive);
                return isActive === true ? {} : { decision: 'block', reason: 'And now?' };
              },
            ],
          },
        ],
      },
    });
    expect(active).toEqual([false, true]);
    expect(kindsOf(messages)).toEqual([
      'system/init',
      'assistant/text',
      'system/init',
      'assistant/text',
      'result/success',
    ]);
  });

  it('add to what the model is told of a call', async () => {
    const context =
      (hookEventName: string, additionalContext: string): HookCallback =>
      () => ({
        hookSpecificOutput: { hookEventName, additionalContext },
      });
    const messages = await run('[[tool=glob {"pattern":"*"}]]', {
      hooks: {
        PreToolUse: [{ hooks: [context('PreToolUse', 'Mind the gap.')] }],
      },
    });
    expect(kindsOf(messages).at(-1)).toBe('result/success');
    expect(JSON.stringify(server.modelRequests.at(-1))).toContain('Mind the gap.');
  });

  it('hear of a call that failed', async () => {
    const told: unknown[] = [];
    await run('[[tool=read {"file_path":"gone"}]]', {
      hooks: {
        PostToolUse: [{ hooks: [() => (told.push('PostToolUse'), {})] }],
        PostToolUseFailure: [{ hooks: [({ error }) => (told.push(error), {})] }],
      },
    });
    expect(told).toEqual([expect.stringContaining('gone')]);
  });

  it('defer a call: the query ends, and the next one of the session asks again', async () => {
    const hooks = (permissionDecision: string): NonNullable<Options['hooks']> => ({
      PreToolUse: [{ hooks: [before({ permissionDecision })] }],
    });
    const deferred = await run(writing('later.txt'), { hooks: hooks('defer') });
    expect(deferred.at(-1)).toMatchObject({
      type: 'result',
      subtype: 'success',
      terminal_reason: 'tool_deferred',
      deferred_tool_use: { name: 'Write', input: { file_path: 'later.txt', content: 'one' } },
    });
    const file = path.join(server.projectRoot, 'later.txt');
    await expect(readFile(file)).rejects.toThrow('ENOENT');
    // Nothing of the query keeps its program alive.
    await expectSoon(async () => {
      const metrics = await (await fetch(`${server.url}/metrics`)).text();
      expect(valueOf(parseSamples(metrics), 'turnpike_sse_readers', { wire: 'harness' })).toBe(0);
    });
    const resume = deferred[0]?.session_id ?? '';
    const messages = await run('And now?', { resume, hooks: hooks('allow') });
    expect(await readFile(file, 'utf8')).toBe('one');
    expect(kindsOf(messages).filter((kind) => kind.startsWith('result'))).toEqual([
      'result/success',
    ]);
  });

  it('may not answer with what is not honoured', async () => {
    const { thrown } = await collectThrown(
      sdk.query({
        prompt: '[[tool=glob {"pattern":"*"}]]',
        options: {
          cwd: server.projectRoot,
          hooks: { PreToolUse: [{ hooks: [before({ permissionDecision: 'later' })] }] },
        },
      }),
    );
    expect(thrown).toMatchObject({ name: 'UnsupportedError', what: 'permissionDecision "later"' });
  });
});

import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { connect, type Options, type PermissionResult } from '../../../src/agent-sdk/connect.js';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import {
  collect,
  collectThrown,
  kindsOf,
  outputsOf,
  resultsOf,
} from '../../support/agent-sdk/read-query.js';
import { useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

describe('a query whose turn calls tools', () => {
  const server = useServer();
  const sdk = useShared(() => connect(new TurnpikeClient({ url: server.url })));
  const at = (name: string): string => path.join(server.projectRoot, name);
  const writing = (name: string, content = 'one'): string =>
    `[[tool=write ${JSON.stringify({ file_path: name, content })}]]`;

  it('has a message for each call, and one for each result', async () => {
    await writeFile(at('a.txt'), 'first\nsecond\n');
    const messages = await collect(
      sdk.query({
        prompt:
          '[[tool=read {"file_path":"a.txt","view_range":[2,2]}]] [[tool=glob {"pattern":"*.txt"}]]',
        options: { cwd: server.projectRoot },
      }),
    );
    expect(kindsOf(messages)).toEqual([
      'system/init',
      'assistant/tool_use',
      'assistant/tool_use',
      'user/tool_result',
      'user/tool_result',
      'assistant/text',
      'result/success',
    ]);
    const [, read, glob, ...rest] = messages;
    if (read?.type !== 'assistant' || glob?.type !== 'assistant') throw new Error('No calls');
    expect(read.message.id).toBe(glob.message.id);
    expect(read.message.content).toEqual([
      {
        type: 'tool_use',
        id: expect.any(String),
        name: 'Read',
        input: { file_path: 'a.txt', offset: 2, limit: 1 },
      },
    ]);
    expect(outputsOf(rest).toSorted()).toEqual(['a.txt', 'second']);
    expect(resultsOf(messages)).toMatchObject([{ num_turns: 3, permission_denials: [] }]);
    expect(new Set(messages.map(({ uuid }) => uuid)).size).toBe(messages.length);
    expect(new Set(messages.map(({ session_id }) => session_id)).size).toBe(1);
  });

  it('asks canUseTool about what neither rules nor the mode decide', async () => {
    const asked: unknown[] = [];
    const messages = await collect(
      sdk.query({
        prompt: writing('asked.txt'),
        options: {
          cwd: server.projectRoot,
          canUseTool: (name, input, { toolUseID }) => {
            asked.push([name, input, typeof toolUseID]);
            return { behavior: 'allow', updatedInput: { ...input, content: 'two' } };
          },
        },
      }),
    );
    expect(asked).toEqual([['Write', { file_path: 'asked.txt', content: 'one' }, 'string']]);
    expect(await readFile(at('asked.txt'), 'utf8')).toBe('two');
    expect(kindsOf(messages).at(-1)).toBe('result/success');
  });

  it('suggests what lets the next call run unasked, and nothing where a rule asks', async () => {
    const suggested: unknown[] = [];
    const options: Options = {
      cwd: server.projectRoot,
      canUseTool: (_name, _input, { suggestions }) => {
        suggested.push(suggestions);
        return { behavior: 'deny', message: 'No.' };
      },
    };
    await collect(sdk.query({ prompt: writing('no.txt'), options }));
    const settings = { permissions: { ask: ['Write'] } };
    await collect(sdk.query({ prompt: writing('no.txt'), options: { ...options, settings } }));
    expect(suggested).toEqual([
      [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
      [],
    ]);
  });

  it('asks also while the program takes no message', async () => {
    let isAsked: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    const query = sdk.query({
      prompt: writing('waits.txt'),
      options: {
        cwd: server.projectRoot,
        canUseTool: (_name, updatedInput) => {
          isAsked();
          return { behavior: 'allow', updatedInput };
        },
      },
    });
    const first = await query.next();
    await asked;
    expect(kindsOf(first.done === true ? [] : [first.value])).toEqual(['system/init']);
    expect(kindsOf(await collect(query)).at(-1)).toBe('result/success');
  });

  it.each<[string, () => PermissionResult, string[]]>([
    [
      'denies with the words of the program',
      () => ({ behavior: 'deny', message: 'Not here.' }),
      ['Not here.'],
    ],
    [
      'denies where the program throws',
      () => {
        throw new Error('out of order');
      },
      ['out of order'],
    ],
  ])('%s', async (_what, canUseTool, words) => {
    const messages = await collect(
      sdk.query({
        prompt: writing('denied.txt'),
        options: { cwd: server.projectRoot, canUseTool },
      }),
    );
    const [output = ''] = outputsOf(messages);
    for (const word of words) expect(output).toContain(word);
    expect(resultsOf(messages)).toMatchObject([
      {
        subtype: 'success',
        permission_denials: [
          { tool_name: 'Write', tool_input: { file_path: 'denied.txt', content: 'one' } },
        ],
      },
    ]);
    await expect(readFile(at('denied.txt'))).rejects.toThrow('ENOENT');
  });

  it('denies by itself where nobody can be asked, and says so', async () => {
    const messages = await collect(
      sdk.query({ prompt: writing('nobody.txt'), options: { cwd: server.projectRoot } }),
    );
    expect(outputsOf(messages)).toEqual([expect.stringContaining('this program asks nobody')]);
  });

  it('ends the turn where a denial interrupts', async () => {
    const { messages } = await collectThrown(
      sdk.query({
        prompt: writing('stopped.txt'),
        options: {
          cwd: server.projectRoot,
          canUseTool: () => ({ behavior: 'deny', message: 'Stop.', interrupt: true }),
        },
      }),
    );
    expect(messages.at(-1)).toMatchObject({
      subtype: 'error_during_execution',
      permission_denials: [{ tool_name: 'Write' }],
    });
  });

  it('runs what is allowed unasked, and offers nothing that is denied as a whole', async () => {
    const canUseTool = (): PermissionResult => {
      throw new Error('It was asked');
    };
    const messages = await collect(
      sdk.query({
        prompt: `${writing('allowed.txt')} [[tool=bash {"command":"echo hi"}]]`,
        options: {
          cwd: server.projectRoot,
          allowedTools: ['Write', 'Bash(echo:*)'],
          disallowedTools: ['Edit', 'WebFetch'],
          canUseTool,
        },
      }),
    );
    expect(messages[0]).toMatchObject({
      tools: ['Read', 'Write', 'Glob', 'Grep', 'Bash', 'TodoWrite'],
    });
    expect(outputsOf(messages).join(' ')).toContain('hi');
  });

  it('has calls of edits run in acceptEdits, and none in plan', async () => {
    const options = { cwd: server.projectRoot };
    const edited = await collect(
      sdk.query({
        prompt: writing('edits.txt'),
        options: { ...options, permissionMode: 'acceptEdits' },
      }),
    );
    expect(outputsOf(edited)).toEqual([expect.stringContaining('wrote 3 bytes')]);
    const planned = await collect(
      sdk.query({ prompt: writing('plan.txt'), options: { ...options, permissionMode: 'plan' } }),
    );
    expect(kindsOf(planned)).toEqual([
      'system/init',
      'assistant/tool_use',
      'system/permission_denied',
      'user/tool_result',
      'assistant/text',
      'result/success',
    ]);
  });

  it('allows such calls for the rest of the session, and sets the mode, where the program says so', async () => {
    let asked = 0;
    const query = (prompt: string, resume?: string) =>
      sdk.query({
        prompt,
        options: {
          cwd: server.projectRoot,
          ...(resume === undefined ? {} : { resume }),
          canUseTool: (toolName) => {
            asked += 1;
            const rule = {
              rules: [{ toolName }],
              behavior: 'allow',
              destination: 'session',
            } as const;
            return { behavior: 'allow', updatedPermissions: [{ type: 'addRules', ...rule }] };
          },
        },
      });
    const [first] = await collect(query(writing('first.txt')));
    await collect(query(writing('second.txt'), first?.session_id));
    expect(asked).toBe(1);
    const modes = await collect(
      sdk.query({
        prompt: `${writing('third.txt')} ${writing('fourth.txt')}`,
        options: {
          cwd: server.projectRoot,
          canUseTool: (_name, _input, { suggestions }) => {
            asked += 1;
            return { behavior: 'allow', updatedPermissions: suggestions ?? [] };
          },
        },
      }),
    );
    expect(kindsOf(modes).at(-1)).toBe('result/success');
    expect(asked).toBeLessThanOrEqual(3);
    expect(await readFile(at('fourth.txt'), 'utf8')).toBe('one');
  });
});

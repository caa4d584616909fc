import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  AbortError,
  connect,
  ResultError,
  type HookCallback,
  type Options,
  type Query,
  type SDKUserMessage,
} from '../../../src/agent-sdk/connect.js';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import { collect, collectThrown, kindsOf, resultsOf } from '../../support/agent-sdk/read-query.js';
import { useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

const stopping: HookCallback = () => ({ continue: false });

describe('a query that is stopped', () => {
  const server = useServer();
  const sdk = useShared(() => connect(new TurnpikeClient({ url: server.url })));
  const at = (name: string): string => path.join(server.projectRoot, name);
  const writing = (name: string): string =>
    `[[tool=write ${JSON.stringify({ file_path: name, content: 'one' })}]]`;
  const query = (prompt: string | AsyncIterable<SDKUserMessage>, options: Options = {}): Query =>
    sdk.query({ prompt, options: { cwd: server.projectRoot, ...options } });

  it('runs the calls that were allowed before the one at which it is stopped', async () => {
    const { messages, thrown } = await collectThrown(
      query(`${writing('kept.txt')} [[tool=bash {"command":"touch never.txt"}]]`, {
        canUseTool: (name) =>
          name === 'Write'
            ? { behavior: 'allow' }
            : { behavior: 'deny', message: 'Stop.', interrupt: true },
      }),
    );
    expect(await readFile(at('kept.txt'), 'utf8')).toBe('one');
    expect(existsSync(at('never.txt'))).toBe(false);
    expect(kindsOf(messages).slice(-4)).toEqual([
      'user/tool_result',
      'user/tool_result',
      'user/text',
      'result/error_during_execution',
    ]);
    expect(messages.at(-1)).toMatchObject({
      num_turns: 4,
      terminal_reason: 'aborted_tools',
      permission_denials: [{ tool_name: 'Bash' }],
    });
    expect(thrown).toBeInstanceOf(ResultError);
    expect(thrown).toMatchObject({ name: 'Error' });
  });

  it('says so in a message, after which its session can be cut', async () => {
    const { messages } = await collectThrown(
      query(writing('a.txt'), {
        canUseTool: () => ({ behavior: 'deny', message: 'Stop.', interrupt: true }),
      }),
    );
    const said = messages.at(-2);
    expect(said).toMatchObject({ type: 'user', message: { content: [{ type: 'text' }] } });
    const resume = messages[0]?.session_id ?? '';
    const conversation = await sdk.getSessionMessages(resume);
    // It is nobody's: the conversation has the prompt, the call and its result.
    expect(conversation.map(({ type }) => type)).toEqual(['user', 'assistant', 'user']);
    const options = { resume, resumeSessionAt: said?.uuid ?? '' };
    expect(kindsOf(await collect(query('And now?', options))).at(-1)).toBe('result/success');
  });

  it('tells who interrupts while a question is open, before the result', async () => {
    const told: string[] = [];
    async function* prompts() {
      yield said(writing('b.txt'));
    }
    const running: Query = query(prompts(), {
      canUseTool: async (_name, _input, { signal }) => {
        const aborted = new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
        await running.interrupt();
        await aborted;
        told.push('canUseTool');
        return { behavior: 'allow' };
      },
    });
    const reading = async (): Promise<void> => {
      for await (const { type } of running) if (type === 'result') told.push(type);
    };
    await expect(reading()).rejects.toThrow(ResultError);
    expect(told.toSorted()).toEqual(['canUseTool', 'result']);
    expect(existsSync(at('b.txt'))).toBe(false);
  });

  it.each<[string, Options['hooks'], boolean]>([
    ['before a call, which does not run', { PreToolUse: [{ hooks: [stopping] }] }, false],
    ['after a call', { PostToolUse: [{ hooks: [stopping] }] }, true],
  ])('by a hook is no error: %s', async (what, hooks, runs) => {
    const name = `${what.length}.txt`;
    const options: Options = { allowedTools: ['Write'] };
    const messages = await collect(
      query(`${writing(name)} [[tokens=5000 gap=5 step=2]]`, {
        ...options,
        ...(hooks && { hooks }),
      }),
    );
    expect(messages.at(-1)).toMatchObject({
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: '',
      num_turns: 2,
      terminal_reason: 'hook_stopped',
    });
    expect(existsSync(at(name))).toBe(runs);
  });

  it('throws where it is aborted after its result', async () => {
    const abortController = new AbortController();
    const running = query('Hello', { abortController });
    const reading = async (): Promise<void> => {
      for await (const { type } of running) if (type === 'result') abortController.abort();
    };
    const thrown: unknown = await reading().catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(AbortError);
    expect(thrown).toMatchObject({ name: 'Error' });
  });

  it('has no reason where a hook blocked its message', async () => {
    const block: HookCallback = () => ({ decision: 'block', reason: 'No.' });
    const messages = await collect(
      query('Hello', { hooks: { UserPromptSubmit: [{ hooks: [block] }] } }),
    );
    expect(resultsOf(messages)).toEqual([
      expect.not.objectContaining({ terminal_reason: expect.anything() }),
    ]);
  });
});

function said(content: string): SDKUserMessage {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
}

import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { aiSdkVersions } from '../../../src/wires/ai-sdk/dialect/ai-sdk-version.js';
import { headlessChats, type HeadlessChat } from '../../support/clients/headless-chat.js';
import { useServer } from '../../support/processes/start-server.js';
import { newFolder } from '../../support/suite.js';

const pickColor = {
  name: 'pick_color',
  description: 'Asks the user for a color.',
  inputSchema: { type: 'object', properties: { of: { type: 'string' } } },
};

describe('the AI SDK wire', () => {
  const server = useServer();
  const post = (body: unknown) => server.client.post('/api/chat', body);
  const write = (file: string): string => `[[tool=write {"file_path":"${file}","content":"x"}]]`;
  const color = '[[tool=pick_color {"of":"sky"}]]';

  type Options = Partial<ConstructorParameters<(typeof headlessChats)['7']>[0]>;

  describe.each(aiSdkVersions)('of version %s', (version) => {
    const projectRoot = newFolder();
    const open = ({ body, ...more }: Options = {}): HeadlessChat =>
      new headlessChats[version]({
        url: server.url,
        id: randomUUID(),
        body: { projectRoot, ...body },
        ...more,
      });
    const inProject = (file: string): string => path.join(projectRoot, file);

    async function ask(chat: HeadlessChat, text: string): Promise<Record<string, unknown>> {
      await chat.sendMessage({ text });
      const [part] = chat.partsOf('dynamic-tool');
      expect(part?.['state']).toBe('approval-requested');
      return part?.['approval'] as Record<string, unknown>;
    }

    describe('says', () => {
      it('text and thinking, and what the turn was', async () => {
        const chat = open({ body: { opts: { thinking: true } } });
        await chat.sendMessage({ text: '[[think=3]] [[tokens=5]]' });
        expect(chat.error).toBeUndefined();
        expect(chat.text).toBe('word1 word2 word3 word4 word5');
        expect(chat.partsOf('reasoning')).toMatchObject([{ state: 'done' }]);
        expect(chat.metadata).toMatchObject({
          sessionId: expect.stringMatching(/^sess_/),
          turnId: expect.stringMatching(/^turn_/),
          model: 'claude-sonnet-5-5',
          createdAt: expect.any(String),
          outcome: 'completed',
          reason: 'end_turn',
          usage: expect.objectContaining({ outputTokens: expect.any(Number) }),
        });
        const { body } = await server.client.get(
          `/api/harness/sessions/${String(chat.metadata['sessionId'])}/messages`,
        );
        expect(JSON.stringify(body)).toContain(String(chat.lastMessage?.id));
      });

      it('tools with their input and output, which no client takes for its own', async () => {
        const calls: unknown[] = [];
        const chat = open({ onToolCall: ({ toolCall }) => void calls.push(toolCall) });
        await chat.sendMessage({ text: '[[tool=glob {"pattern":"*.none"}]]' });
        expect(chat.partsOf('dynamic-tool')).toMatchObject([
          {
            toolName: 'glob',
            state: 'output-available',
            input: { pattern: '*.none' },
            output: expect.any(String),
            providerExecuted: true,
          },
        ]);
        expect([calls, chat.sent.length]).toEqual([[], 1]);
      });

      it('goes on with the conversation, of which it needs the new message only', async () => {
        const chat = open();
        await chat.sendMessage({ text: '[[tokens=4]] first' });
        await chat.sendMessage({ text: 'second' });
        expect(chat.messages.map(({ role }) => role)).toEqual([
          'user',
          'assistant',
          'user',
          'assistant',
        ]);
        const { messages } = server.modelRequests.at(-1)?.body ?? {};
        expect(JSON.stringify(messages)).toContain('word4');
        const short = { role: 'user', id: 'short', parts: [{ type: 'text', text: 'third' }] };
        const response = await fetch(`${server.url}/api/chat`, {
          method: 'POST',
          body: JSON.stringify({ id: chat.id, messages: [short] }),
        });
        expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
        expect(response.headers.get('content-type')).toContain('text/event-stream');
        expect(response.headers.get('x-session-id')).toBe(chat.metadata['sessionId']);
        expect((await response.text()).trim().split('\n').at(-1)).toBe('data: [DONE]');
        expect(JSON.stringify(server.modelRequests.at(-1)?.body.messages)).toContain('second');
      });

      it('a failure in words for a person', async () => {
        const chat = open();
        await chat.sendMessage({ text: '[[tokens=20]] [[fail=529 after=10]]' });
        expect(chat.status).toBe('error');
        expect(chat.error?.message).toEqual(expect.any(String));
        expect(chat.error?.message).not.toContain('sk-ant');
        await chat.regenerate();
        expect(chat.messages.filter(({ role }) => role === 'user')).toHaveLength(1);
      });

      it('what a limit did, and sends nothing by itself after it', async () => {
        const limited = open({
          body: { opts: { maxTurns: 2 }, clientTools: [pickColor] },
          onToolCall: ({ toolCall }) =>
            void limited.addToolOutput({
              tool: toolCall.toolName,
              toolCallId: toolCall.toolCallId,
              output: 'blue',
            }),
        });
        await limited.sendMessage({ text: '[[loop=3 tool=pick_color {"of":"$i"}]]' });
        await limited.ended();
        expect(limited.metadata).toMatchObject({ outcome: 'limited', reason: 'max_turns' });
        expect(limited.text).toContain('[Stopped');
        expect(limited.sent).toHaveLength(2);
      });
    });

    describe('asks', () => {
      it('for an approval, and goes on by itself in the same message', async () => {
        const chat = open();
        const approval = await ask(chat, write('yes.txt'));
        expect(chat.metadata['waitsFor']).toEqual([approval['id']]);
        const { id } = chat.lastMessage ?? {};
        expect(existsSync(inProject('yes.txt'))).toBe(false);
        await chat.addToolApprovalResponse({ id: String(approval['id']), approved: true });
        await chat.ended();
        expect(chat.error).toBeUndefined();
        expect(chat.partsOf('dynamic-tool')).toMatchObject([
          { state: 'output-available', input: { file_path: 'yes.txt', content: 'x' } },
        ]);
        expect(chat.partsOf('data-approval')).toMatchObject([
          { data: { status: 'resolved', decision: 'approve', by: 'local' } },
        ]);
        expect([chat.messages.length, chat.lastMessage?.id]).toEqual([2, id]);
        expect([chat.sent.length, chat.metadata['outcome']]).toEqual([2, 'completed']);
        expect(readFileSync(inProject('yes.txt'), 'utf8')).toBe('x');
      });

      it('and goes on by itself with the calls after it, too', async () => {
        const chat = open();
        const { id } = await ask(chat, `${write('first.txt')} [[tool=glob {"pattern":"first.*"}]]`);
        await chat.addToolApprovalResponse({ id: String(id), approved: true });
        await chat.ended();
        expect(chat.partsOf('dynamic-tool')).toMatchObject([
          { state: 'output-available', toolName: 'write' },
          {
            state: 'output-available',
            toolName: 'glob',
            output: expect.stringContaining('first.txt'),
          },
        ]);
      });

      it('and takes a no with its reason to the model', async () => {
        const chat = open();
        const { id } = await ask(chat, write('no.txt'));
        await chat.addToolApprovalResponse({
          id: String(id),
          approved: false,
          reason: 'Not in the root.',
        });
        await chat.ended();
        expect(chat.partsOf('dynamic-tool')).toMatchObject([{ state: 'output-denied' }]);
        expect(existsSync(inProject('no.txt'))).toBe(false);
        expect(JSON.stringify(server.modelRequests.at(-1)?.body.messages)).toContain(
          'Not in the root.',
        );
      });

      it('the client to run its tool, for what it gives or that it failed', async () => {
        const answers = [{ output: { color: 'blue' } }, { errorText: 'No color today' }];
        for (const answer of answers) {
          const chat = open({
            body: { clientTools: [pickColor] },
            onToolCall: ({ toolCall: { toolName: tool, toolCallId } }) => {
              const given = { tool, toolCallId };
              void ('output' in answer
                ? chat.addToolOutput({ ...given, output: answer.output })
                : chat.addToolOutput({
                    ...given,
                    state: 'output-error',
                    errorText: answer.errorText ?? '',
                  }));
            },
          });
          await chat.sendMessage({ text: color });
          await chat.ended();
          expect(chat.error).toBeUndefined();
          expect(chat.partsOf('tool-pick_color')).toMatchObject([
            { input: { of: 'sky' }, ...answer },
          ]);
          expect([chat.sent.length, chat.metadata['outcome']]).toEqual([2, 'completed']);
          const sent = JSON.stringify(server.modelRequests.at(-1)?.body.messages);
          expect(sent).toContain(Object.hasOwn(answer, 'output') ? 'blue' : 'No color today');
        }
      });

      it('both at once, and waits until both are answered', async () => {
        const chat = open({
          body: { clientTools: [pickColor] },
          onToolCall: ({ toolCall: { toolName: tool, toolCallId } }) =>
            void chat.addToolOutput({ tool, toolCallId, output: 'red' }),
        });
        const { id } = await ask(chat, `${write('both.txt')} ${color}`);
        expect(chat.partsOf('tool-pick_color')).toMatchObject([{ state: 'output-available' }]);
        expect(chat.sent).toHaveLength(1);
        await chat.addToolApprovalResponse({ id: String(id), approved: true });
        await chat.ended();
        expect(chat.error).toBeUndefined();
        expect([chat.sent.length, chat.metadata['outcome']]).toEqual([2, 'completed']);
        expect(existsSync(inProject('both.txt'))).toBe(true);
      });

      it('the same answers again change nothing, and have the same stream', async () => {
        const chat = open({ isManual: true });
        const { id } = await ask(chat, write('again.txt'));
        await chat.addToolApprovalResponse({ id: String(id), approved: true });
        const body = { id: chat.id, messages: chat.messages };
        await chat.sendMessage();
        const repeated = await fetch(`${server.url}/api/chat`, {
          method: 'POST',
          body: JSON.stringify(body),
        });
        const other = await fetch(`${server.url}/api/chat`, {
          method: 'POST',
          body: JSON.stringify(body),
        });
        expect(await repeated.text()).toBe(await other.text());
        const denied = structuredClone(chat.sent.at(-1));
        const forged = JSON.stringify(denied).replaceAll('"approved":true', '"approved":false');
        const refused = await post(forged);
        expect([refused.status, refused.body['error']]).toMatchObject([
          409,
          { type: 'APPROVAL_RESOLVED' },
        ]);
      });
    });

    describe('is come back to', () => {
      it('where it waits: the question is there, and is answered from there', async () => {
        const chat = open();
        await ask(chat, write('later.txt'));
        const kept = open({ id: chat.id, messages: structuredClone(chat.messages) });
        const page = open({ id: chat.id });
        await Promise.all([kept.resumeStream(), page.resumeStream()]);
        expect([kept.messages.length, kept.lastMessage]).toEqual([2, chat.lastMessage]);
        const [question] = page.partsOf('data-approval');
        await page.addToolApprovalResponse({ id: String(question?.['id']), approved: true });
        await page.ended();
        expect(page.metadata['outcome']).toBe('completed');
        expect(existsSync(inProject('later.txt'))).toBe(true);
      });

      it('with the id of a frame, for exactly what came after it', async () => {
        const message = {
          role: 'user',
          id: 'm1',
          parts: [{ type: 'text', text: '[[think=2]] [[tokens=9]]' }],
        };
        const id = randomUUID();
        const response = await fetch(`${server.url}/api/chat`, {
          method: 'POST',
          body: JSON.stringify({ id, messages: [message] }),
        });
        const frames = (await response.text()).split('\n\n').slice(0, -1);
        for (const index of [0, 3, frames.length - 2]) {
          const last = (frames[index] ?? '').split('\n', 1)[0]?.slice('id: '.length) ?? '';
          const rest = await fetch(`${server.url}/api/chat/${id}/stream`, {
            headers: { 'last-event-id': last },
          });
          const [, ...received] = (await rest.text()).split('\n\n');
          expect(received).toEqual([...frames.slice(index + 1), '']);
        }
        const wrong = await fetch(`${server.url}/api/chat/${id}/stream`, {
          headers: { 'last-event-id': `${response.headers.get('x-turn-id')}:one` },
        });
        expect(wrong.status).toBe(400);
        const foreign = await fetch(`${server.url}/api/chat/${randomUUID()}/stream`);
        expect([foreign.status, await foreign.text()]).toEqual([204, '']);
        const over = await fetch(`${server.url}/api/chat/${id}/stream`);
        expect(over.status).toBe(204);
      });

      it('a message that is sent twice is one turn', async () => {
        const message = { role: 'user', id: 'm2', parts: [{ type: 'text', text: '[[tokens=3]]' }] };
        const body = JSON.stringify({ id: randomUUID(), messages: [message] });
        const send = () => fetch(`${server.url}/api/chat`, { method: 'POST', body });
        const answers = await Promise.all([send(), send()]);
        const turns = answers.map(({ headers }) => headers.get('x-turn-id'));
        expect(turns[0]).toBe(turns[1]);
        expect(await answers[0]?.text()).toBe(await answers[1]?.text());
      });
    });

    describe('is stopped', () => {
      const stop = (id: string) => server.client.post(`/api/chat/${id}/stop`, '');

      it('while it says something, and keeps what it said', async () => {
        const chat = open();
        const sending = chat.sendMessage({ text: '[[tokens=5000 gap=10]]' });
        await chat.until(() => chat.text.includes('word3'));
        const { status, body } = await stop(chat.id);
        await sending;
        expect([status, body]).toEqual([
          200,
          { ok: true, turnId: chat.metadata['turnId'], state: expect.any(String) },
        ]);
        expect(chat.metadata).toMatchObject({ outcome: 'interrupted', reason: 'interrupt' });
        expect(chat.text).toContain('word3');
      });

      it('while it waits for an approval', async () => {
        const chat = open();
        await ask(chat, write('stopped.txt'));
        expect((await stop(chat.id)).status).toBe(200);
        await chat.resumeStream();
        await chat.sendMessage({ text: '[[tokens=2]]' });
        expect(chat.metadata['outcome']).toBe('completed');
        expect(existsSync(inProject('stopped.txt'))).toBe(false);
      });

      it('where there is nothing to stop, it says so', async () => {
        const chat = open();
        const unknown = await stop(chat.id);
        expect([unknown.status, unknown.body['error']]).toMatchObject([
          404,
          { type: 'SESSION_NOT_FOUND', message: expect.stringContaining('no chat') },
        ]);
        await chat.sendMessage({ text: '[[tokens=2]]' });
        const idle = await stop(chat.id);
        expect([idle.status, idle.body['error']]).toMatchObject([
          404,
          { message: expect.stringContaining('nothing to stop') },
        ]);
      });
    });

    describe('takes', () => {
      it('the last question once more, and an edited one', async () => {
        const chat = open();
        await chat.sendMessage({ text: '[[tokens=2]]' });
        const first = chat.metadata['turnId'];
        await chat.regenerate();
        const second = chat.metadata['turnId'];
        expect(chat.messages).toHaveLength(2);
        const messageId = chat.messages[0]?.id ?? '';
        await chat.sendMessage({ text: '[[tokens=3]]', messageId });
        expect(chat.text).toBe('word1 word2 word3');
        expect(new Set([first, second, chat.metadata['turnId']]).size).toBe(3);
      });

      it('files as data: URLs', async () => {
        const chat = open();
        const content = Buffer.from('The code is kingfisher.').toString('base64');
        const url = `data:text/plain;base64,${content}`;
        const files = [
          { type: 'file' as const, mediaType: 'text/plain', filename: 'code.txt', url },
        ];
        await chat.sendMessage({ text: 'What is it?', files });
        expect(chat.error).toBeUndefined();
        expect(JSON.stringify(server.modelRequests.at(-1)?.body.messages)).toContain('kingfisher');
      });
    });
  });
});

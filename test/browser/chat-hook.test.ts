import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { UIMessage } from 'ai';
import type { Page } from 'playwright-core';
import { startRehearsal } from '../../rehearsal/start-rehearsal.js';
import { instructionRootWith } from '../support/agents/instruction-root.js';
import { words } from '../support/clients/run-example.js';
import { startPage } from '../support/clients/start-chat-example.js';
import { newStore } from '../support/database/test-store.js';
import { expectSoon } from '../support/expect-soon.js';
import { startProcess, type ServerProcess } from '../support/processes/start-process.js';
import { newFolder, useShared } from '../support/suite.js';
import { openConsole } from './open-console.js';

/** What the page says of its hook. */
interface HookState {
  aiSdk: number;
  messages: UIMessage[];
  status: string;
  error?: string;
}

const majors = [6, 7] as const;

describe('useChat', () => {
  const on = useShared(async () => {
    const model = await startRehearsal();
    const store = await newStore();
    const environment = {
      ...store.environment,
      TURNPIKE_INSTRUCTION_ROOT: instructionRootWith({}),
      TURNPIKE_PROJECT_ROOT: await mkdtemp(path.join(newFolder(), 'project-')),
      TURNPIKE_PROVIDER_BASE_URL: model.url,
      TURNPIKE_EGRESS_ALLOW: model.url,
      ANTHROPIC_API_KEY: 'sk-ant-test-key',
    };
    let server: ServerProcess = await startProcess(environment);
    const startHook = (major: number) =>
      startPage('test/browser/hook-page', {
        TURNPIKE_URL: server.url,
        AI_MAJOR: String(major),
      });
    const [six, seven] = await Promise.all([startHook(6), startHook(7)]);
    const browser = await openConsole(server.url);
    return {
      browser,
      urls: { 6: six.url, 7: seven.url },
      server: () => server,
      /** Kills the server in the middle of what it does; its successor is at the same address. */
      killAndStart: async () => {
        const { port } = new URL(server.url);
        await server.kill('SIGKILL');
        server = await startProcess({ ...environment, TURNPIKE_PORT: port });
      },
      close: async () => {
        await browser.close();
        await six.close();
        await seven.close();
        await server.kill('SIGKILL');
        await model.close();
        await store.close();
      },
    };
  });

  async function visit(
    major: (typeof majors)[number],
  ): Promise<{ page: Page; id: string; faults: string[] }> {
    const id = randomUUID();
    const { page, faults } = await on.browser.visit(`${on.urls[major]}/#${id}`);
    await page.waitForFunction('globalThis.hook !== undefined');
    return { page, id, faults };
  }
  const call = (page: Page, name: string, ...given: unknown[]): Promise<void> =>
    page.evaluate(`void hook.${name}(...${JSON.stringify(given)})`);
  const say = (page: Page, text: string): Promise<void> => call(page, 'sendMessage', { text });
  async function stateOf(page: Page): Promise<HookState> {
    return JSON.parse((await page.locator('#page').textContent()) ?? '') as HookState;
  }
  const textOf = (message: UIMessage | undefined): string =>
    (message?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
  const lastOf = async (page: Page) => (await stateOf(page)).messages.at(-1);
  async function reload(page: Page): Promise<void> {
    await page.reload();
    await page.waitForFunction('globalThis.hook !== undefined');
  }
  async function says(page: Page, text: string): Promise<void> {
    await expectSoon(async () => expect(textOf(await lastOf(page))).toContain(text));
  }
  /** Waits for the end of a turn. @returns the answer. */
  async function ended(page: Page, outcome = 'completed'): Promise<UIMessage | undefined> {
    await expectSoon(async () => {
      const { messages, status } = await stateOf(page);
      expect([status, messages.at(-1)]).toMatchObject(['ready', { metadata: { outcome } }]);
    });
    return lastOf(page);
  }
  async function approvalOf(page: Page): Promise<string> {
    let id = '';
    await expectSoon(async () => {
      const { status, messages } = await stateOf(page);
      const [part] = messages.at(-1)?.parts.filter(({ type }) => type === 'dynamic-tool') ?? [];
      expect([status, part]).toMatchObject(['ready', { state: 'approval-requested' }]);
      if (part !== undefined && 'approval' in part) id = part.approval?.id ?? '';
    });
    return id;
  }
  const write = (file: string): string => `[[tool=write {"file_path":"${file}","content":"x"}]]`;

  describe.each(majors)('of version %d', (major) => {
    const open = () => visit(major);

    it('has texts and tools, and the same after a reload', async () => {
      const { page, faults } = await open();
      await say(page, '[[tokens=5]] [[tool=glob {"pattern":"*.none"}]]');
      const answer = await ended(page);
      expect((await stateOf(page)).aiSdk).toBe(major);
      expect(textOf(answer)).toContain(words(5));
      expect(answer?.parts).toContainEqual(
        expect.objectContaining({ type: 'dynamic-tool', state: 'output-available' }),
      );
      await reload(page);
      expect(await lastOf(page)).toEqual(answer);
      expect(faults).toEqual([]);
    });

    it('asks for an approval, and sends the answer', async () => {
      const { page, faults } = await open();
      await say(page, write('hook.txt'));
      const id = await approvalOf(page);
      await call(page, 'addToolApprovalResponse', { id, approved: true });
      const [part] = (await ended(page))?.parts.filter(({ type }) => type === 'dynamic-tool') ?? [];
      const requestReason = expect.stringContaining('needs an approval');
      expect(part).toMatchObject({
        state: 'output-available',
        approval: { id, approved: true, ...(major === 7 && { requestReason }) },
      });
      expect(faults).toEqual([]);
    });

    it('is told of an answer that was given elsewhere, where its version has a word for it', async () => {
      const { page, id: chatId, faults } = await open();
      const { client } = on.server();
      await say(page, write('elsewhere.txt'));
      const id = await approvalOf(page);
      const denied = { decision: 'deny', message: 'Not today' };
      await client.post(`/api/harness/approvals/${id}`, denied);
      await expectSoon(async () => {
        const { body } = await client.get(`/api/chat/${chatId}`);
        expect((body['messages'] as UIMessage[]).at(-1)).toMatchObject({
          metadata: { outcome: 'completed' },
        });
      });
      await reload(page);
      const [part] = (await ended(page))?.parts.filter(({ type }) => type === 'dynamic-tool') ?? [];
      expect(part).toMatchObject({
        state: 'output-denied',
        approval: { id, ...(major === 7 && { approved: false, reason: 'Not today' }) },
      });
      expect(faults).toEqual([]);
    });

    it('runs a tool of the page', async () => {
      const { page, faults } = await open();
      await say(page, '[[tool=pick_color {"of":"sky"}]]');
      expect((await ended(page))?.parts).toContainEqual(
        expect.objectContaining({ type: 'tool-pick_color', output: 'blue' }),
      );
      expect(faults).toEqual([]);
    });

    it('has what was steered into its turn, and both answers after a reload', async () => {
      const { page, id, faults } = await open();
      await say(page, '[[tokens=60 gap=30]] [[tool=glob {"pattern":"a"}]]');
      await says(page, 'word3 ');
      const steered = { id: 'steered', role: 'user', parts: [{ type: 'text', text: 'And this' }] };
      const opts = { onBusy: 'steer' };
      await on.server().client.post('/api/chat', { id, messages: [steered], opts });
      expect((await ended(page))?.parts).toContainEqual(
        expect.objectContaining({ type: 'data-joined' }),
      );
      await reload(page);
      const { messages } = await stateOf(page);
      expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
      expect(faults).toEqual([]);
    });

    it('goes on in the middle of an answer after a reload', async () => {
      const { page, faults } = await open();
      await say(page, '[[tokens=120 gap=20]]');
      await says(page, 'word10 ');
      await reload(page);
      expect(textOf(await ended(page))).toBe(words(120));
      expect((await stateOf(page)).messages).toHaveLength(2);
      expect(faults).toEqual([]);
    });

    it('has the whole answer where its turn ends between the history and the stream', async () => {
      const { page, id, faults } = await open();
      await say(page, '[[tokens=60 gap=30]]');
      await says(page, 'word5 ');
      await page.route('**/stream', async (request) => {
        await expectSoon(async () => {
          const { body } = await on.server().client.get(`/api/chat/${id}`);
          expect(body['activeTurnId']).toBeNull();
        });
        await request.continue();
      });
      await reload(page);
      expect(textOf(await lastOf(page))).not.toContain('word60');
      expect(textOf(await ended(page))).toBe(words(60));
      expect((await stateOf(page)).messages).toHaveLength(2);
      expect(faults).toEqual([]);
    });

    it('makes an answer again', async () => {
      const { page, faults } = await open();
      await say(page, '[[tokens=4]]');
      const first = await ended(page);
      await call(page, 'regenerate');
      await expectSoon(async () => expect((await lastOf(page))?.id).not.toBe(first?.id));
      expect(textOf(await ended(page))).toBe(words(4));
      expect((await stateOf(page)).messages).toHaveLength(2);
      expect(faults).toEqual([]);
    });

    it('stops a turn, and takes the next message', async () => {
      const { page, faults } = await open();
      await say(page, '[[tokens=5000 gap=20]]');
      await says(page, 'word5 ');
      await call(page, 'stopTurn');
      await ended(page, 'interrupted');
      await say(page, '[[tokens=3]]');
      expect(textOf(await ended(page))).toBe(words(3));
      expect((await stateOf(page)).messages).toHaveLength(4);
      expect(faults).toEqual([]);
    });
  });

  // Last: what follows has another server.
  describe('of both versions', () => {
    it('follows an answer over the death of its server, once in the words of version 7', async () => {
      const pages = await Promise.all(
        majors.map(async (major) => ({ major, ...(await visit(major)) })),
      );
      await Promise.all(
        pages.map(async ({ page }) => {
          await say(page, '[[tokens=80 gap=50]]');
          await says(page, 'word5 ');
        }),
      );
      await on.killAndStart();
      for (const { major, page } of pages) {
        const said = textOf(await ended(page));
        expect(major === 7 ? said : said.slice(-words(80).length)).toBe(words(80));
        await reload(page);
        expect(textOf(await lastOf(page))).toBe(words(80));
      }
    });
  });
});

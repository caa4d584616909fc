import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { keyedClient } from '../support/clients/keyed-client.js';
import { words } from '../support/clients/run-example.js';
import { useLogInExample } from '../support/clients/start-log-in-example.js';
import { expectSoon } from '../support/expect-soon.js';
import { useServer } from '../support/processes/start-server.js';
import { useShared } from '../support/suite.js';
import { openConsole } from './open-console.js';

/** Logs in at the page of the provider, which is of the package `oidc-provider`. */
async function logIn(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.getByPlaceholder('Enter any login').fill(name);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('banner').getByText(name).waitFor();
}

async function logOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByRole('button', { name: 'Yes, sign me out' }).click();
  await page.getByRole('button', { name: 'Log in', exact: true }).waitFor();
}

async function send(page: Page, message: string): Promise<void> {
  await page.getByLabel('Message').fill(message);
  await page.getByRole('button', { name: 'Send' }).click();
}

/** Opens the list of chats. */
async function listChats(page: Page) {
  await page.getByRole('button', { name: 'Chats' }).click();
  return page.getByRole('navigation', { name: 'My chats' }).getByRole('link');
}

describe.each(['the person’s own token', 'page tokens'])(
  'the example of a page behind a log-in, with %s',
  (kind) => {
    const isMinted = kind === 'page tokens';
    const prefix = isMinted ? 'app' : 'acme';
    const example = useLogInExample();
    const server = useServer(async () => ({ environment: await example.environment() }));
    const site = useShared(async () => {
      if (!isMinted) return example.start(server.url);
      const scopes = ['turns', 'approvals', 'tokens'];
      const backend = { principal: 'backend', scopes, mints: 'app:*' };
      return example.start(server.url, (await keyedClient(server, backend)).key);
    });
    const browser = useShared(() => openConsole(site.page));

    /** Sends a request with the token that a page sent last. */
    const watch = (page: Page) => {
      let token = '';
      page.on('request', (request) => {
        const sent = request.headers()['authorization'];
        if (request.url().startsWith(server.url) && sent !== undefined) token = sent;
      });
      return async (path: string) => {
        const headers = { authorization: token, origin: site.page };
        const answer = await fetch(server.url + path, { headers });
        return { status: answer.status, text: await answer.text() };
      };
    };

    it('shows everybody their own chats alone, and ends with the log-out', async () => {
      const ada = await browser.visit();
      const asAda = watch(ada.page);
      await logIn(ada.page, 'ada');
      const file = '{"file_path":"notes.txt","content":"Hello"}';
      await send(ada.page, `Write it. [[tokens=12 gap=10]] [[tool=write ${file}]]`);
      const call = ada.page.getByRole('region', { name: 'Approval of write' });
      await call.getByRole('button', { name: 'Approve' }).click();
      const answer = ada.page.getByRole('article', { name: 'Answer' });
      await answer.getByText('write done').waitFor();
      expect(await answer.textContent()).toContain(words(12).trim());
      await ada.page.reload();
      await answer.getByText('write done').waitFor();
      await (await listChats(ada.page)).getByText('Write it.').waitFor();
      const listed = JSON.parse((await asAda('/api/harness/sessions')).text) as {
        sessions: { sessionId: string }[];
      };
      const [{ sessionId } = { sessionId: '' }] = listed.sessions;
      expect((await asAda('/api/harness/me')).text).toContain(`"principal":"${prefix}:ada"`);

      const ben = await browser.visit();
      const asBen = watch(ben.page);
      await logIn(ben.page, 'ben');
      const none = await listChats(ben.page);
      await ben.page.getByText('No chat so far.').waitFor();
      expect(await none.count()).toBe(0);
      expect((await asBen('/api/harness/sessions')).text).toBe('{"sessions":[]}');
      const path = `/api/harness/session/${sessionId}`;
      expect([(await asAda(path)).status, (await asBen(path)).status]).toEqual([200, 404]);
      const asked = ben.page.waitForResponse((one) => one.url().includes(`${sessionId}/messages`));
      await ben.page.goto(`${site.page}/#${sessionId}`);
      expect((await asked).status()).toBe(404);
      await ben.page.getByRole('alert').getByText('This chat is gone').waitFor();
      expect(await ben.page.getByRole('article').count()).toBe(0);

      const tab = await ada.context.newPage();
      await tab.goto(site.page);
      await tab.getByRole('button', { name: 'Log in', exact: true }).click();
      await tab.getByRole('banner').getByText('ada').waitFor();
      await logOut(ada.page);
      if (isMinted) {
        await expectSoon(async () => {
          const refused = await asAda('/api/harness/sessions');
          expect([refused.status, refused.text]).toEqual([401, expect.stringContaining('ENDED')]);
          expect(refused.text).toContain('Ask your backend for a new one');
        });
        await send(tab, 'Am I here?');
        await tab.getByRole('alert').getByText('(401): Log in first').waitFor();
      }
      expect((await asBen('/api/harness/sessions')).status).toBe(200);
      expect([ada.faults, ben.faults]).toEqual([[], []]);
    });
  },
);

import { afterEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { words } from '../support/clients/run-example.js';
import { startExamplePage } from '../support/clients/start-example-page.js';
import { startFaultyGateway, type FaultyGateway } from '../support/clients/start-faulty-gateway.js';
import { useServer } from '../support/processes/start-server.js';
import { openConsole } from './open-console.js';
import { useShared } from '../support/suite.js';

describe('the example of a page', () => {
  let gateway: FaultyGateway;
  const site = useShared(startExamplePage);
  const server = useServer(() => ({ environment: { TURNPIKE_CORS_ORIGINS: site.url } }));
  const browser = useShared(() => openConsole(site.url));
  afterEach(() => gateway.close());

  const visit = async (cuts: number[] = []) => {
    gateway = await startFaultyGateway(server.url, { cuts });
    return browser.visit(`/?server=${gateway.url}`);
  };
  const send = async (page: Page, message: string): Promise<void> => {
    await page.getByLabel('Folder').fill(server.projectRoot);
    await page.getByLabel('Message').fill(message);
    await page.getByRole('button', { name: 'Send' }).click();
  };
  const ends = (page: Page, outcome: string): Promise<void> =>
    page.getByRole('status').getByText(outcome, { exact: true }).waitFor();
  const cursors = (): (string | undefined)[] =>
    gateway.requests
      .filter(({ path }) => path.endsWith('/events'))
      .map(({ headers }) => headers['last-event-id'] as string | undefined);

  it('resumes by itself after its connection broke, and shows the turn again after a reload', async () => {
    const { page, faults } = await visit([6, 6]);
    await send(page, 'Count. [[tokens=40 gap=20]]');
    await ends(page, 'completed');
    expect(await page.getByLabel('Answer').textContent()).toBe(words(40));
    expect(cursors()).toEqual([
      undefined,
      expect.stringMatching(/:1\.\d+$/),
      expect.stringMatching(/:1\.\d+$/),
    ]);
    await page.reload();
    await ends(page, 'completed');
    expect(await page.getByLabel('Answer').textContent()).toBe(words(40));
    expect(cursors().slice(3)).toEqual([undefined]);
    expect(faults).toEqual([]);
  });

  it('asks its visitor about a tool call', async () => {
    const { page, faults } = await visit();
    await send(page, '[[tool=write {"file_path":"notes.txt","content":"Hello"}]]');
    await page.getByText('May write run?').waitFor();
    await page.getByRole('button', { name: 'approve' }).click();
    await ends(page, 'completed');
    expect(await page.getByLabel('Answer').textContent()).toContain('wrote 5 bytes');
    expect(await page.getByRole('button', { name: 'approve' }).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('interrupts a turn, and says what a refusal says', async () => {
    const { page } = await visit();
    await send(page, 'On and on [[tokens=2000 gap=20]]');
    await page.getByText('word5').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await ends(page, 'interrupted');
    await page.getByLabel('Folder').fill('/no/such/folder');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('status').getByText('WORKING_ROOT_INACCESSIBLE').waitFor();
  });
});

import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { TurnpikeClient } from '../../src/client/turnpike-client.js';
import { makeKey } from '../support/clients/keyed-client.js';
import { useShared } from '../support/suite.js';
import { takePicture } from './open-console.js';
import { useConsole } from './use-console.js';

describe('the approvals of several people', () => {
  const on = useConsole();
  const keys = useShared(async () => ({
    ann: await keyOf('ann'),
    ben: await keyOf('ben', ['release']),
    cas: await keyOf('cas', ['release']),
  }));

  async function keyOf(principal: string, approves?: string[]): Promise<string> {
    const scopes = ['turns', 'approvals'];
    return (await makeKey(on.server, { principal, scopes, ...(approves && { approves }) })).secret;
  }

  async function visit(key: string): Promise<Page> {
    const { page } = await on.console.visit('/approvals');
    const dialog = page.getByRole('dialog', { name: 'This server needs an API key' });
    await dialog.getByLabel('API key').fill(key);
    await dialog.getByRole('button', { name: 'Use this key' }).click();
    await dialog.waitFor({ state: 'detached' });
    return page;
  }

  /** A turn, of Ann's by default, that waits for somebody with the role release. */
  async function ask(file: string, count: number, { key = keys.ann, notRequester = false } = {}) {
    const client = new TurnpikeClient({ url: on.server.url, key });
    const { sessionId } = await client.sessions.create({
      projectRoot: on.server.projectRoot,
      permissions: { ask: [{ rule: 'write', by: ['release'], count, notRequester }] },
    });
    const message = `[[tool=write {"file_path":"${file}","content":"x"}]]`;
    const opts = { onDisconnect: 'continue' } as const;
    const turn = await client.turn({ sessionId, message, opts });
    for await (const { event, data } of turn) {
      if (event === 'approval:request') return { client, turn, id: data.approvalId };
    }
    throw new Error('Nothing was asked');
  }

  it('are asked of those who decide, apart from what their own turns wait for', async () => {
    const { turn } = await ask('asked.txt', 1);
    const page = await visit(keys.ben);
    const others = page.getByRole('region', { name: 'Asked of you by others' });
    const item = others.getByRole('listitem').filter({ hasText: 'asked.txt' });
    await item.getByText('Waits for a person with the role release').waitFor();
    await item.getByText('ann', { exact: true }).waitFor();
    expect(await item.getByRole('link').count()).toBe(0);
    const own = page.getByRole('region', { name: 'Your own turns wait for' });
    await own.getByText('Nothing is waiting for you.').waitFor();
    await page
      .getByRole('link', { name: /^Approvals/ })
      .getByText('1')
      .waitFor();
    await takePicture(page, 'awaited-approvals-light');
    await item.getByRole('button', { name: 'Allow once' }).click();
    await others.waitFor({ state: 'detached' });
    expect((await turn.result()).outcome).toBe('completed');
  });

  it('are denied with a reason that the model gets', async () => {
    const { turn } = await ask('denied.txt', 2);
    const page = await visit(keys.ben);
    const item = page.getByRole('listitem').filter({ hasText: 'denied.txt' });
    await item.getByRole('button', { name: 'Deny' }).click();
    await item.getByLabel('Reason, which the model reads (optional)').fill('Not on Fridays.');
    await page.keyboard.press('Enter');
    await item.waitFor({ state: 'detached' });
    expect((await turn.result()).text).toContain('Not on Fridays.');
  });

  it('show who asks whom they wait for, and how far that is', async () => {
    const { client, turn, id } = await ask('waiting.txt', 2);
    const page = await visit(keys.ann);
    const own = page.getByRole('region', { name: 'Your own turns wait for' });
    await own.getByText('2 people with the role release; 0 of 2 approved').waitFor();
    await own.getByText('You do not decide about this call: others do.').waitFor();
    expect(await own.getByRole('button', { name: /Allow|Edit|Deny/ }).count()).toBe(0);
    const ben = new TurnpikeClient({ url: on.server.url, key: keys.ben });
    await ben.approvals.awaited.approve(id);
    await own.getByText('1 of 2 approved').waitFor();
    await client.turns.interrupt(turn.turnId);
    await own.getByText('Nothing is waiting for you.').waitFor();
  });

  it('are answered by who asks, unless the rule leaves them out', async () => {
    const mine = await ask('mine.txt', 2, { key: keys.cas });
    const page = await visit(keys.cas);
    const own = page.getByRole('region', { name: 'Your own turns wait for' });
    const card = (file: string) => own.getByRole('listitem').filter({ hasText: file });
    await card('mine.txt').getByRole('button', { name: 'Deny' }).waitFor();
    expect(await own.getByRole('button', { name: /session|Edit/ }).count()).toBe(0);
    await card('mine.txt').getByRole('button', { name: 'Allow once' }).click();
    await card('mine.txt').getByText('1 of 2 approved').waitFor();
    const others = await ask('others.txt', 2, { key: keys.cas, notRequester: true });
    await card('others.txt').getByText('You do not decide about this call').waitFor();
    expect(
      await card('others.txt')
        .getByRole('button', { name: /Allow|Deny/ })
        .count(),
    ).toBe(0);
    for (const { client, turn } of [mine, others]) await client.turns.interrupt(turn.turnId);
    await own.getByText('Nothing is waiting for you.').waitFor();
  });
});

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { instructionRootWith } from '../support/agents/instruction-root.js';
import { serveAskingMcp } from '../support/mcp/asking-mcp.js';
import { newFolder, useShared } from '../support/suite.js';
import { ChatPage } from './chat-page.js';
import { takePicture } from './open-console.js';
import { useConsole } from './use-console.js';

describe('a question of an MCP server, in the console', () => {
  const shop = useShared(serveAskingMcp);
  const on = useConsole(async () => {
    const file = path.join(newFolder(), 'mcp.json');
    writeFileSync(file, JSON.stringify({ mcpServers: { shop: { url: shop.url } } }));
    const USER = ['mcp_servers: [shop]', 'permissions: {allow: [mcp__shop__*]}'];
    return {
      environment: {
        TURNPIKE_MCP_FILE: file,
        TURNPIKE_INSTRUCTION_ROOT: instructionRootWith({ USER }),
      },
    };
  });
  beforeEach(() => {
    shop.calls.length = 0;
  });

  /** Begins a turn whose tool asks, and waits for the question. */
  async function ask(tool: string) {
    const visitor = await on.console.visit();
    const chat = new ChatPage(visitor.page);
    await chat.begin(on.server.projectRoot, `[[tool=mcp__shop__${tool} {}]]`, 'USER');
    const name = `mcp__shop__${tool} asks something`;
    const card = chat.tool(`mcp__shop__${tool}`).getByRole('group', { name });
    await card.waitFor();
    const press = (button: string) => card.getByRole('button', { name: button }).click();
    return { ...visitor, chat, card, press };
  }

  it('is a form with a field of each kind, and what is wrong is beside its field', async () => {
    const { chat, card, press, page, faults } = await ask('survey');
    await card.getByText('The MCP server “shop” asks').waitFor();
    await card.getByText('For whom?').waitFor();
    const field = (label: string | RegExp) => card.getByLabel(label, { exact: true });
    expect(await field('Count').inputValue()).toBe('2');
    expect(await field('As a gift (required)').inputValue()).toBe('false');
    expect(await field('Colour').locator('option:checked').innerText()).toBe('Green');
    expect(await field('Size').locator('option').allInnerTexts()).toEqual(['–', 'Small', 'Medium']);
    expect(await field('A card').isChecked()).toBe(true);
    expect(await field('Day').getAttribute('type')).toBe('date');
    await takePicture(page, 'question-form-light');

    await field('E-mail').fill('nobody');
    await field('Site').fill('here');
    await field('Time').fill('noon');
    await field('Weight').fill('a lot');
    await field('Count').fill('9.5');
    await field('A box').check();
    await press('Send answer');
    for (const fault of [
      'Name is required',
      'E-mail must be an e-mail address',
      'Site must be a URL',
      'Time must be a time, as 2026-01-31T08:00:00Z',
      'Weight must be a number',
      'Count must be a whole number',
      'Extras must have at most 1 choice',
    ]) {
      await card.getByText(fault, { exact: true }).waitFor();
    }
    expect(await field('E-mail').getAttribute('aria-invalid')).toBe('true');
    // The first of them has the focus: it was out of view.
    expect(await field('Name (required)').evaluate((one) => one.matches(':focus'))).toBe(true);
    await takePicture(page, 'question-faults-light');
    expect(shop.calls).toHaveLength(1);

    await field('Name (required)').fill('Ann');
    await field('E-mail').fill('ann@example.com');
    await field('Site').fill('https://example.com/');
    await field('Day').fill('2026-02-03');
    await field('Time').fill('2026-02-03T10:00:00Z');
    await field('Weight').fill('1.5');
    await field('Count').fill('3');
    await field('As a gift (required)').selectOption({ label: 'Yes' });
    await field('Size').selectOption({ label: 'Medium' });
    await field('Colour').selectOption({ label: 'Red' });
    await field('A card').uncheck();
    await press('Send answer');
    await chat.status('Done');
    expect(shop.calls).toHaveLength(2);
    const content = {
      name: 'Ann',
      email: 'ann@example.com',
      site: 'https://example.com/',
      day: '2026-02-03',
      at: '2026-02-03T10:00:00Z',
      weight: 1.5,
      count: 3,
      gift: true,
      size: 'm',
      colour: 'r',
      extras: ['box'],
    };
    expect(shop.calls[1]?.responses).toEqual({ a: { action: 'accept', content } });
    await takePicture(page, 'question-answered-light');
    expect(faults).toEqual([]);
  });

  it.each([
    ['Decline', 'decline'],
    ['Close without an answer', 'cancel'],
  ])('is answered by %s', async (button, action) => {
    const { chat, press } = await ask('order');
    await press(button);
    await chat.status('Done');
    expect(shop.calls.at(-1)?.responses).toEqual({ a: { action } });
  });

  it('is a link whose site is named, and whose address is whole; the turn goes on when it is done', async () => {
    const { chat, card, press, page, context } = await ask('page');
    await card.getByText('https://pay.example', { exact: true }).waitFor();
    const link = card.getByRole('link', { name: 'https://pay.example/cart?id=1', exact: true });
    expect(await link.getAttribute('href')).toBe('https://pay.example/cart?id=1');
    expect(await link.getAttribute('rel')).toContain('noopener');
    await takePicture(page, 'question-link-light');
    // Nothing opens by itself.
    expect(context.pages()).toHaveLength(1);
    await press('Done');
    await card.waitFor({ state: 'detached' });
    await chat.status('Done');
    expect(shop.calls.at(-1)?.responses).toEqual({ a: { action: 'accept' } });
  });

  it('is answered on the list of all', async () => {
    const { chat, context } = await ask('order');
    const list = await context.newPage();
    await list.goto('/approvals');
    const item = list.getByRole('listitem').filter({ hasText: 'Which?' });
    await item.getByLabel('Colour (required)').selectOption({ label: 'Green' });
    await item.getByRole('button', { name: 'Send answer' }).click();
    await chat.status('Done');
    const content = { colour: 'g', count: 2 };
    expect(shop.calls.at(-1)?.responses).toEqual({ a: { action: 'accept', content } });
  });
});

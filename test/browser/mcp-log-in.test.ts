import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { mcpLogins } from '../../src/storage/mcp-schema.js';
import { instructionRootWith } from '../support/agents/instruction-root.js';
import { startOAuthMcp } from '../support/mcp/start-oauth-mcp.js';
import { newFolder, useShared } from '../support/suite.js';
import { ChatPage } from './chat-page.js';
import { takePicture } from './open-console.js';
import { useConsole } from './use-console.js';

describe('a log-in at an MCP server, in the console', () => {
  const tracker = useShared(startOAuthMcp);
  const on = useConsole(async () => {
    const file = path.join(newFolder(), 'mcp.json');
    writeFileSync(file, JSON.stringify({ mcpServers: { tracker: { url: tracker.url } } }));
    const USER = ['mcp_servers: [tracker]', 'permissions: {allow: [mcp__tracker__*]}'];
    return {
      environment: {
        TURNPIKE_MCP_FILE: file,
        TURNPIKE_INSTRUCTION_ROOT: instructionRootWith({ USER }),
      },
    };
  });
  beforeEach(async () => {
    Object.assign(tracker, { agrees: true, ran: [], revoked: [] });
    await on.server.db.delete(mcpLogins);
  });

  /** Follows the link in its own tab, and agrees on the server's page. */
  async function logIn(page: Page): Promise<void> {
    const host = new URL(tracker.issuer).host;
    const opened = page.waitForEvent('popup');
    await page.getByRole('link', { name: `Open ${host}` }).click();
    const tab = await opened;
    await tab.getByRole('heading', { name: 'Log in at tracker?' }).waitFor();
    await tab.getByText(tracker.url, { exact: true }).waitFor();
    await takePicture(tab, 'mcp-callback-light');
    expect(tracker.ran).toEqual([]);
    await tab.getByRole('button', { name: 'Log in' }).click();
    await tab.getByRole('heading', { name: 'You are logged in at tracker' }).waitFor();
    await takePicture(tab, 'mcp-logged-in-light');
    await tab.close();
  }

  async function ask() {
    const visitor = await on.console.visit();
    const chat = new ChatPage(visitor.page);
    await chat.begin(on.server.projectRoot, '[[tool=mcp__tracker__whoami {}]]', 'USER');
    const name = 'mcp__tracker__whoami needs you to log in at its server';
    const card = chat.tool('mcp__tracker__whoami').getByRole('group', { name });
    await card.waitFor();
    return { ...visitor, chat, card };
  }

  it('is begun by a button of the parked turn; then the call runs once, and the turn goes on', async () => {
    const { chat, card, page, faults } = await ask();
    await takePicture(page, 'mcp-question-light');
    await card.getByRole('button', { name: 'Log in' }).click();
    await card.getByRole('link').waitFor();
    await takePicture(page, 'mcp-link-light');
    await logIn(page);
    await chat.status('Done');
    expect(tracker.ran.map(({ tool }) => tool)).toEqual(['whoami']);
    expect(await chat.tool('mcp__tracker__whoami').getByRole('group').count()).toBe(0);
    await takePicture(page, 'mcp-done-light');
    expect(faults).toEqual([]);
  });

  it('is refused at the authorization server: the page says so, and the question can be denied', async () => {
    const { chat, card, page } = await ask();
    tracker.agrees = false;
    await card.getByRole('button', { name: 'Log in' }).click();
    const opened = page.waitForEvent('popup');
    await card.getByRole('link').click();
    const tab = await opened;
    await tab.getByRole('heading', { name: 'You are not logged in' }).waitFor();
    await tab.getByText('Not <today>').waitFor();
    await takePicture(tab, 'mcp-refused-light');
    // The link is used up: there is another one.
    const before = await card.getByRole('link').getAttribute('href');
    await card.getByRole('button', { name: 'Begin again' }).click();
    await card.locator(`a:not([href="${before}"])`).waitFor();
    await card.getByRole('button', { name: 'Deny' }).click();
    await card.getByRole('button', { name: 'Deny' }).click();
    await chat.status('Done');
    expect(tracker.ran).toEqual([]);
  });

  it('is begun and ended on the page of all log-ins', async () => {
    const { page, faults } = await on.console.visit('/mcp-logins');
    const table = page.getByRole('region', { name: 'Log-ins at MCP servers' });
    const row = table.getByRole('row').filter({ hasText: 'tracker' });
    await row.getByText('none', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Log in' }).click();
    await logIn(page);
    await row.getByText(`at ${tracker.issuer}`).waitFor();
    await takePicture(page, 'mcp-logins-light');
    await row.getByRole('button', { name: 'Log out' }).click();
    const dialog = page.getByRole('dialog', { name: 'Log out of tracker?' });
    await takePicture(page, 'mcp-log-out-light');
    // It is in a cell whose text is at the right.
    const align = await dialog.evaluate(
      (one) => one.ownerDocument.defaultView?.getComputedStyle(one).textAlign,
    );
    expect(align).toBe('left');
    await dialog.getByRole('button', { name: 'Log out' }).click();
    await row.getByText('none', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Log in' }).waitFor();
    expect(await on.server.db.$count(mcpLogins)).toBe(0);
    expect(tracker.revoked).toHaveLength(2);
    expect(faults).toEqual([]);
  });
});

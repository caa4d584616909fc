import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { stdioServer } from '../support/mcp/open-test-mcp.js';
import { newFolder } from '../support/suite.js';
import { takePicture } from './open-console.js';
import { problemsOf } from './page-problems.js';
import { useConsole } from './use-console.js';

const ticket = `export default {
  description: 'The state of a ticket.',
  inputSchema: {
    type: 'object',
    properties: {
      number: { type: 'integer', description: 'Its number.' },
      kind: { enum: ['bug', 'wish'], type: 'string' },
      filter: { type: 'object', description: 'What it must have.' },
    },
    required: ['number'],
  },
  effect: 'read',
  run: (input, call) => {
    call.progress('looking it up');
    return JSON.stringify(input);
  },
};`;
const closing = `export default {
  description: 'Closes all tickets.',
  inputSchema: { type: 'object' },
  run: () => 'closed',
};`;

describe('a tool, in the console', () => {
  const on = useConsole(async () => {
    const folder = newFolder();
    mkdirSync(path.join(folder, 'tools'));
    writeFileSync(path.join(folder, 'tools/ticket.mjs'), ticket);
    writeFileSync(path.join(folder, 'tools/close_all.mjs'), closing);
    const mcpFile = path.join(folder, 'mcp.json');
    const lacks = stdioServer('lacks a file', { env: { NEEDS: '/no/such/settings.json' } });
    const mcpServers = { broken: lacks, box: stdioServer() };
    writeFileSync(mcpFile, JSON.stringify({ mcpServers }));
    return {
      environment: {
        TURNPIKE_PROJECT_ROOTS: newFolder(),
        TURNPIKE_TOOLS_DIR: path.join(folder, 'tools'),
        TURNPIKE_MCP_FILE: mcpFile,
      },
    };
  });

  it('is tried by a form of its schema, and its result is shown', async () => {
    const { page, faults } = await on.console.visit('/agents');
    await page.getByRole('button', { name: 'Try ticket' }).click();
    const dialog = page.getByRole('dialog', { name: 'Try ticket' });
    const run = dialog.getByRole('button', { name: 'Run' });
    await run.click();
    await dialog.getByText('number is required').waitFor();
    await dialog.getByLabel('number (required)').fill('7');
    await dialog.getByLabel('kind').selectOption('wish');
    await dialog.getByLabel('filter, as JSON').fill('{"open": tru}');
    await run.click();
    await dialog.getByText('filter is no JSON').waitFor();
    await dialog.getByLabel('filter, as JSON').fill('{"open": true}');
    await run.click();
    await dialog.getByText('Succeeded').waitFor();
    expect(await dialog.getByLabel('Output').innerText()).toBe(
      '{"number":7,"kind":"wish","filter":{"open":true}}',
    );
    expect(await dialog.getByLabel('Progress').innerText()).toContain('looking it up');
    expect(await problemsOf(page)).toEqual([]);
    await takePicture(page, 'try-tool-light');
    expect(faults).toEqual([]);
  });

  it('that may change things runs after a tick', async () => {
    const { page } = await on.console.visit('/agents');
    await page.getByRole('button', { name: 'Try close_all' }).click();
    const dialog = page.getByRole('dialog', { name: 'Try close_all' });
    await dialog.getByText('It takes no input.').waitFor();
    const run = dialog.getByRole('button', { name: 'Run' });
    expect(await run.isDisabled()).toBe(true);
    await dialog.getByLabel(/^Run it for real/).check();
    await run.click();
    await dialog.getByText('Succeeded').waitFor();
    expect(await dialog.getByLabel('Output').innerText()).toBe('closed');
  });

  it('has no form where it is built in', async () => {
    const { page } = await on.console.visit('/agents');
    await page.getByRole('button', { name: 'Try ticket' }).waitFor();
    expect(await page.getByRole('button', { name: 'Try read' }).count()).toBe(0);
  });

  it('of a server that nobody has used is there once the server is started', async () => {
    const { page } = await on.console.visit('/agents');
    expect(await page.getByRole('button', { name: 'Try mcp__box__echo' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Start and list tools of box' }).click();
    await page.getByRole('button', { name: 'Try mcp__box__echo' }).waitFor();
    expect(await problemsOf(page)).toEqual([]);
  });

  it('of a server that failed says why, with the state of the server and its standard error', async () => {
    const { client, projectRoot } = on.server;
    const sessionId = await client.createSession(projectRoot);
    await (await client.turn(sessionId, 'Hello')).all();
    const { page } = await on.console.visit('/agents');
    const servers = page.getByRole('list', { name: 'MCP servers' });
    await servers.getByText('failed').waitFor();
    expect(await servers.innerText()).toMatch(/command · for /);
    expect(await servers.innerText()).toContain('Error: no settings in …/settings.json');
    await servers.getByText('Standard error', { exact: true }).click();
    expect(await servers.getByLabel('Standard error of broken').innerText()).toContain(
      'Error: no settings in …/settings.json',
    );
    await takePicture(page, 'mcp-failed-light');
  });
});

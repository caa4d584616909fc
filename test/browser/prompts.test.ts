import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { startScriptedMcp, type ScriptedMcp } from '../support/mcp/start-scripted-mcp.js';
import { newFolder } from '../support/suite.js';
import { ChatPage } from './chat-page.js';
import { takePicture } from './open-console.js';
import { useConsole } from './use-console.js';

describe('prompts of MCP servers', () => {
  const running: ScriptedMcp[] = [];
  const on = useConsole(async () => {
    const mcp = await startScriptedMcp();
    running.push(mcp);
    const who = { name: 'who', description: 'Whom to greet', required: true };
    const greet = { name: 'greet', description: '<b>Greets</b>', arguments: [who] };
    mcp.others = {
      'prompts/list': () => JSON.stringify({ prompts: [greet, { name: 'plain' }] }),
      'prompts/get': ({ params }) => {
        const text = `Say hello to ${String(params?.arguments?.['who'])}.`;
        return JSON.stringify({ messages: [{ role: 'user', content: { type: 'text', text } }] });
      },
    };
    const file = path.join(newFolder(), 'mcp.json');
    await writeFile(file, JSON.stringify({ mcpServers: { box: { url: mcp.url } } }));
    return { environment: { TURNPIKE_MCP_FILE: file } };
  });
  afterAll(async () => {
    for (const mcp of running) await mcp.close();
  });

  it('are listed after a slash, asked for what they need, and sent with the message', async () => {
    const { page, faults } = await on.console.visit();
    const chat = new ChatPage(page);
    await chat.begin(on.server.projectRoot, 'Hello');
    await chat.status('Done');
    await chat.message.fill('/');
    const prompts = page.getByRole('list', { name: 'Prompts' });
    await prompts.getByRole('button', { name: /^\/plain/ }).waitFor();
    await chat.message.fill('/gr');
    await prompts.getByRole('button', { name: /plain/ }).waitFor({ state: 'detached' });
    await prompts.getByText('<b>Greets</b>').waitFor();
    await takePicture(page, 'prompts');
    await prompts.getByRole('button', { name: /greet/ }).click();
    const dialog = page.getByRole('dialog', { name: '/greet of box' });
    expect(await dialog.getByRole('button', { name: 'Send' }).isEnabled()).toBe(false);
    await dialog.getByLabel('who').fill('Ann');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await chat.status('Done', 1);
    expect(JSON.stringify(on.server.modelRequests.at(-1)?.body.messages)).toContain(
      'Say hello to Ann.',
    );
    await page.reload();
    await chat
      .turn(1)
      .getByText(/^\/greet\s+The prompt greet of the MCP server box:/)
      .waitFor();
    expect(faults).toEqual([]);
  });
});

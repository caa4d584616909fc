import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { expectSoon } from '../support/expect-soon.js';
import { pixel, silence } from '../support/files/made-files.js';
import {
  startScriptedMcp,
  toolEntry,
  type ScriptedMcp,
} from '../support/mcp/start-scripted-mcp.js';
import { newFolder } from '../support/suite.js';
import { ChatPage } from './chat-page.js';
import { takePicture } from './open-console.js';
import { useConsole } from './use-console.js';

const extension = `export default ({ addTool }) => addTool({
  name: 'draw', description: 'Draws.', inputSchema: { type: 'object' }, effect: 'read',
  run: () => [{ type: 'file', data: '${pixel}', name: 'drawn.png' }],
});`;

describe('files that tools give', () => {
  const running: ScriptedMcp[] = [];
  const on = useConsole(async () => {
    const mcp = await startScriptedMcp();
    running.push(mcp);
    mcp.tools = [toolEntry('both'), toolEntry('trap')];
    const picture = { type: 'image', data: pixel, mimeType: 'image/jpeg' };
    const sound = { type: 'audio', data: silence, mimeType: 'audio/wav' };
    mcp.results['both'] = JSON.stringify({ content: [picture, sound] });
    const uri = 'demo:///<img src=x onerror="document.title=1">.html';
    const page = Buffer.from('<script>document.title = 1</script>').toString('base64');
    const text =
      '<img src=x onerror="document.title=1"> ![a](https://example.com/a.png) [b](javascript:1)';
    const trap = { type: 'resource', resource: { uri, blob: page, mimeType: 'text/html' } };
    mcp.results['trap'] = JSON.stringify({ content: [{ type: 'text', text }, trap] });
    const folder = newFolder();
    const at = (name: string): string => path.join(folder, name);
    await writeFile(at('mcp.json'), JSON.stringify({ mcpServers: { box: { url: mcp.url } } }));
    await writeFile(at('rules.yaml'), 'allow: ["mcp__box__*"]\n');
    await writeFile(at('drawing.mjs'), extension);
    return {
      environment: {
        TURNPIKE_MCP_FILE: at('mcp.json'),
        TURNPIKE_PERMISSIONS_FILE: at('rules.yaml'),
        TURNPIKE_EXTENSIONS: at('drawing.mjs'),
      },
    };
  });
  afterAll(async () => {
    for (const mcp of running) await mcp.close();
  });

  // An element is visible before its content is loaded.
  const isDrawn = (img: Locator) =>
    expectSoon(async () =>
      expect(
        await img.evaluate((one: object) => (one as { naturalWidth: number }).naturalWidth),
      ).toBe(1),
    );

  it('are pictures and recordings beside their calls, at once and after a reload', async () => {
    const { page, faults } = await on.console.visit();
    const chat = new ChatPage(page);
    await chat.begin(on.server.projectRoot, '[[tool=mcp__box__both {}]]');
    await chat.status('Done');
    for (const visit of ['live', 'reloaded']) {
      const files = page
        .getByRole('region', { name: 'Tool mcp__box__both' })
        .getByRole('list', { name: 'Files' });
      await isDrawn(files.locator('img'));
      await files.getByRole('button', { name: /file\.wav/ }).click();
      const player = page.getByRole('dialog', { name: 'file.wav' }).locator('audio');
      await expectSoon(async () =>
        expect(
          await player.evaluate((one: object) => (one as { duration: number }).duration),
        ).toBeCloseTo(0.1),
      );
      await takePicture(page, `tool-files-${visit}`);
      await page.keyboard.press('Escape');
      if (visit === 'live') await page.reload();
    }
    expect(faults).toEqual([]);
  });

  it('of extensions are shown too', async () => {
    const sessionId = await on.server.client.createSession(on.server.projectRoot);
    const stream = await on.server.client.turn(sessionId, '[[tool=draw {}]]', {
      opts: { tools: ['draw'] },
    });
    await stream.all();
    const { page } = await on.console.visit(`/sessions/${sessionId}`);
    await isDrawn(page.getByRole('region', { name: 'Tool draw' }).locator('img'));
  });

  it('are never run or followed, nor is HTML or Markdown of an output', async () => {
    const { page, faults } = await on.console.visit();
    const chat = new ChatPage(page);
    const title = await page.title();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).host));
    await chat.begin(on.server.projectRoot, '[[tool=mcp__box__trap {}]]');
    await chat.status('Done');
    const card = page.getByRole('region', { name: 'Tool mcp__box__trap' });
    await card.getByRole('button').first().click();
    await card.getByText('![a](https://example.com/a.png)').waitFor();
    await card.getByRole('list', { name: 'Files' }).getByRole('button').click();
    await page.getByRole('dialog').getByText('<script>').waitFor();
    expect(await page.locator('img[src="x"], a[href^="javascript:"]').count()).toBe(0);
    expect(await page.title()).not.toBe('1');
    expect(title).not.toBe('1');
    expect(new Set(requests)).toEqual(new Set([new URL(on.server.url).host]));
    expect(faults).toEqual([]);
  });
});

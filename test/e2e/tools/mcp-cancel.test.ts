import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { expectSoon } from '../../support/expect-soon.js';
import { recordingServer } from '../../support/mcp/recorded-lines.js';
import { startScriptedMcp, toolEntry } from '../../support/mcp/start-scripted-mcp.js';
import { useServer } from '../../support/processes/start-server.js';
import { newFolder, useShared } from '../../support/suite.js';

describe('a call whose turn is interrupted', () => {
  const recording = recordingServer();
  const mcp = useShared(startScriptedMcp);
  const ended: string[] = [];
  const server = useServer(async () => {
    mcp.modern = {
      'server/discover': '{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}',
      'tools/list': `{"tools":[${toolEntry('hang')}]}`,
    };
    mcp.answer = (_asked, response) => void response.once('close', () => ended.push('the call'));
    const folder = newFolder();
    const [file, rules] = [path.join(folder, 'mcp.json'), path.join(folder, 'rules.yaml')];
    const mcpServers = { local: recording.definition, modern: { url: mcp.url } };
    await writeFile(file, JSON.stringify({ mcpServers }));
    await writeFile(rules, 'allow: ["mcp__*"]\n');
    return { environment: { TURNPIKE_MCP_FILE: file, TURNPIKE_PERMISSIONS_FILE: rules } };
  });

  /** Interrupts a turn once its call is at the server. */
  async function interrupt(name: string, isCalled: () => boolean): Promise<void> {
    const sessionId = await server.client.createSession(server.projectRoot);
    const stream = await server.client.turn(sessionId, `[[tool=mcp__${name}__hang {}]]`);
    await expectSoon(() => expect(isCalled()).toBe(true));
    await server.client.post('/api/harness/interrupt', { sessionId });
    const frames = await stream.all();
    expect(frames.find(({ event }) => event === 'turn:end')?.data).toMatchObject({
      outcome: 'interrupted',
    });
  }

  it('is cancelled at a server that is a command', async () => {
    await interrupt('local', () => recording.sent('tools/call') !== undefined);
    await expectSoon(() => expect(recording.sent('notifications/cancelled')).toBeDefined());
    expect(recording.sent('notifications/cancelled')?.params?.requestId).toBe(
      recording.sent('tools/call')?.id,
    );
  });

  it('is cancelled at a server of 2026-07-28, whose request ends', async () => {
    await interrupt('modern', () => mcp.methods.includes('tools/call'));
    await expectSoon(() => expect(ended).toEqual(['the call']));
  });
});

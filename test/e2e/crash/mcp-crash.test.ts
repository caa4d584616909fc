import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startRehearsal } from '../../../rehearsal/start-rehearsal.js';
import { newStore } from '../../support/database/test-store.js';
import { expectSoon } from '../../support/expect-soon.js';
import { recordingServer } from '../../support/mcp/recorded-lines.js';
import { startProcess, type ServerProcess } from '../../support/processes/start-process.js';
import { newFolder, useShared } from '../../support/suite.js';

/** Commands that stay in a call, and how each takes the end of its input. */
const boxes = {
  ending: ['ends with its input', recordingServer()],
  staying: ['does not end with its input', recordingServer('stays')],
} as const;
type Box = keyof typeof boxes;

describe('kill -9 in the middle of a call of an MCP server', () => {
  const model = useShared(() => startRehearsal());
  const store = useShared(newStore);
  const turnIds = new Map<Box, string>();
  let server: ServerProcess | undefined;
  beforeAll(async () => {
    const folder = newFolder();
    const [file, rules] = [path.join(folder, 'mcp.json'), path.join(folder, 'rules.yaml')];
    const mcpServers = Object.fromEntries(
      Object.entries(boxes).map(([name, [, { definition }]]) => [name, definition]),
    );
    await writeFile(file, JSON.stringify({ mcpServers }));
    await writeFile(rules, 'allow: ["mcp__*"]\n');
    const projectRoot = await mkdtemp(path.join(folder, 'project-'));
    const environment = {
      ...store.environment,
      TURNPIKE_PROJECT_ROOT: projectRoot,
      TURNPIKE_PROVIDER_BASE_URL: model.url,
      TURNPIKE_EGRESS_ALLOW: model.url,
      ANTHROPIC_API_KEY: 'sk-ant-test-key',
      TURNPIKE_MCP_FILE: file,
      TURNPIKE_PERMISSIONS_FILE: rules,
    };
    server = await startProcess(environment);
    for (const name of Object.keys(boxes) as Box[]) {
      const sessionId = await server.client.createSession(projectRoot);
      const stream = await server.client.turn(sessionId, `[[tool=mcp__${name}__hang {}]]`, {
        opts: { onDisconnect: 'continue' },
      });
      turnIds.set(name, stream.header('x-turn-id'));
    }
    for (const [, recording] of Object.values(boxes)) {
      await expectSoon(() => expect(recording.sent('tools/call')).toBeDefined());
      expect(recording.lines().every(({ pid = 0 }) => isAlive(pid))).toBe(true);
    }
    await server.kill('SIGKILL');
    for (const [, recording] of Object.values(boxes)) {
      await expectSoon(() =>
        expect(recording.lines().filter(({ pid }) => pid !== undefined && isAlive(pid))).toEqual(
          [],
        ),
      );
    }
    server = await startProcess(environment);
  });
  afterAll(() => server?.kill('SIGKILL'));

  it.each((Object.keys(boxes) as Box[]).map((name) => [boxes[name][0], name] as const))(
    'ends a command that %s, makes no call twice, and tells the model that the outcome is not known',
    async (_what, name) => {
      const url = `/api/harness/turns/${turnIds.get(name)}`;
      await expectSoon(async () => {
        const answer = await server?.client.get(url);
        expect(answer?.body['turn']).toMatchObject({ status: 'completed' });
      });
      const answer = await server?.client.get(`${url}/tools`);
      expect(answer?.body['calls']).toMatchObject([
        { status: 'unknown', output: expect.stringContaining('not known') },
      ]);
      const [, recording] = boxes[name];
      expect(recording.lines().filter(({ method }) => method === 'tools/call')).toHaveLength(1);
    },
  );
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

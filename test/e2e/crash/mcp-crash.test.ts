import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { startRehearsal } from '../../../rehearsal/start-rehearsal.js';
import { newStore } from '../../support/database/test-store.js';
import { expectSoon } from '../../support/expect-soon.js';
import { recordingServer } from '../../support/mcp/recorded-lines.js';
import { startProcess, type ServerProcess } from '../../support/processes/start-process.js';
import { newFolder, useShared } from '../../support/suite.js';

describe('kill -9 in the middle of a call of an MCP server', () => {
  const model = useShared(() => startRehearsal());
  const store = useShared(newStore);
  let server: ServerProcess | undefined;
  afterEach(() => server?.kill('SIGKILL'));

  it.each<[string, ...'stays'[]]>([
    ['ends with its input'],
    ['does not end with its input', 'stays'],
  ])(
    'ends a command that %s, makes no call twice, and tells the model that the outcome is not known',
    async (_what, ...how) => {
      const recording = recordingServer(...how);
      const folder = newFolder();
      const [file, rules] = [path.join(folder, 'mcp.json'), path.join(folder, 'rules.yaml')];
      await writeFile(file, JSON.stringify({ mcpServers: { box: recording.definition } }));
      await writeFile(rules, 'allow: ["mcp__*"]\n');
      const projectRoot = await mkdtemp(path.join(folder, 'project-'));
      const environment = {
        ...store.environment,
        TURNPIKE_PROJECT_ROOT: projectRoot,
        TURNPIKE_PROVIDER_BASE_URL: model.url,
        TURNPIKE_EGRESS_ALLOW: model.url,
        ANTHROPIC_API_KEY: 'sk-ant-test-key',
        TURNPIKE_LEASE_MS: '4000',
        TURNPIKE_MCP_FILE: file,
        TURNPIKE_PERMISSIONS_FILE: rules,
      };
      server = await startProcess(environment);
      const sessionId = await server.client.createSession(projectRoot);
      const stream = await server.client.turn(sessionId, '[[tool=mcp__box__hang {}]]', {
        opts: { onDisconnect: 'continue' },
      });
      const turnId = stream.header('x-turn-id');
      await expectSoon(() => expect(recording.sent('tools/call')).toBeDefined());
      const [{ pid = 0 } = {}] = recording.lines();
      expect(isAlive(pid)).toBe(true);
      await server.kill('SIGKILL');
      await expectSoon(() => expect(isAlive(pid)).toBe(false));
      server = await startProcess(environment);
      const { client } = server;
      await expectSoon(async () => {
        const { body } = await client.get(`/api/harness/turns/${turnId}`);
        expect(body['turn']).toMatchObject({ status: 'completed' });
      });
      const { body } = await client.get(`/api/harness/turns/${turnId}/tools`);
      expect(body['calls']).toMatchObject([
        { status: 'unknown', output: expect.stringContaining('not known') },
      ]);
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

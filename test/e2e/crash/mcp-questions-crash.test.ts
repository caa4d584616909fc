import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { startRehearsal } from '../../../rehearsal/start-rehearsal.js';
import { newStore } from '../../support/database/test-store.js';
import { inDatabaseOf } from '../../support/crash/crash-series.js';
import { masterKeyFile, newMasterKey } from '../../support/access/master-keys.js';
import { expectSoon } from '../../support/expect-soon.js';
import { serveAskingMcp } from '../../support/mcp/asking-mcp.js';
import { startProcess, type ServerProcess } from '../../support/processes/start-process.js';
import { newFolder, useShared } from '../../support/suite.js';

const program = fileURLToPath(
  import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'),
);

describe('kill -9 around the question of an MCP server', () => {
  const model = useShared(() => startRehearsal());
  const store = useShared(newStore);
  const shop = useShared(serveAskingMcp);
  let projectRoot: string;
  let server: ServerProcess;
  /** The questions that were there when the server died. */
  let asked: Record<'parked' | 'answered' | 'connected', Awaited<ReturnType<typeof ask>>>;
  beforeAll(async () => {
    const folder = newFolder();
    const [file, rules] = [path.join(folder, 'mcp.json'), path.join(folder, 'rules.yaml')];
    const everything = { command: process.execPath, args: [program] };
    await writeFile(file, JSON.stringify({ mcpServers: { shop: { url: shop.url }, everything } }));
    await writeFile(rules, 'allow: ["mcp__*"]\n');
    projectRoot = await mkdtemp(path.join(folder, 'project-'));
    const environment = {
      ...store.environment,
      TURNPIKE_PROJECT_ROOT: projectRoot,
      TURNPIKE_PROVIDER_BASE_URL: model.url,
      TURNPIKE_EGRESS_ALLOW: model.url,
      ANTHROPIC_API_KEY: 'sk-ant-test-key',
      TURNPIKE_MASTER_KEY_FILE: masterKeyFile([newMasterKey()]),
      TURNPIKE_MCP_FILE: file,
      TURNPIKE_PERMISSIONS_FILE: rules,
    };
    server = await startProcess(environment);
    const [parked, answered] = [await ask('shop__order'), await ask('shop__survey')];
    const connected = await ask('everything__trigger-elicitation-request');
    asked = { parked, answered, connected };
    await parked.stream.until('turn:parked');
    await answered.stream.until('turn:parked');
    expect(await answer(answered.id, { decision: 'deny' })).toMatchObject({ status: 200 });
    await server.kill('SIGKILL');
    const kept = await inDatabaseOf(store, (db) =>
      db.execute(sql`select call_state from approvals where id = ${parked.id}`),
    );
    expect(kept.rows).toEqual([{ call_state: expect.stringMatching(/^sealed:1:/) }]);
    server = await startProcess(environment);
  });
  afterAll(() => server.kill('SIGKILL'));

  /** Sends a turn whose call asks. @returns once the question is there. */
  async function ask(tool: string) {
    const sessionId = await server.client.createSession(projectRoot);
    const stream = await server.client.turn(sessionId, `[[tool=mcp__${tool} {}]]`, {
      opts: { onDisconnect: 'continue' },
    });
    const { data } = await stream.until('approval:request');
    return { stream, turnId: stream.header('x-turn-id'), id: String(data['approvalId']) };
  }

  const answer = (id: string, body: object) =>
    server.client.post(`/api/harness/approvals/${id}`, body);

  /** The calls of a turn, once it has ended. */
  async function endOf(turnId: string | null): Promise<Record<string, unknown>[]> {
    await expectSoon(async () => {
      const { body } = await server.client.get(`/api/harness/turns/${turnId}`);
      expect(body['turn']).toMatchObject({ status: 'completed' });
    });
    const { body } = await server.client.get(`/api/harness/turns/${turnId}/tools`);
    return body['calls'] as Record<string, unknown>[];
  }

  it('keeps a parked question, and calls the server once more after the answer', async () => {
    const { turnId, id } = asked.parked;
    const content = { colour: 'g', count: 1 };
    expect(await answer(id, { decision: 'answer', content })).toMatchObject({ status: 200 });
    expect(await endOf(turnId)).toMatchObject([{ status: 'success' }]);
    expect(shop.calls.filter(({ name }) => name === 'order')).toMatchObject([
      { state: undefined },
      { responses: { a: { action: 'accept', content } }, state: 'kept by the shop' },
    ]);
  });

  it('makes the call at most once more where the answer is the last that a process took', async () => {
    const { turnId, id } = asked.answered;
    const [call] = await endOf(turnId);
    const repeats = shop.calls.filter(
      ({ name, responses }) => name === 'survey' && responses !== undefined,
    );
    expect(repeats.length).toBeLessThanOrEqual(1);
    if (repeats.length === 0) expect(call).toMatchObject({ status: 'unknown' });
    else expect(['success', 'unknown']).toContain(call?.['status']);
    const again = await answer(id, { decision: 'answer', content: { name: 'Ada', gift: true } });
    expect(again).toMatchObject({ status: 409 });
  });

  it('closes a question that a connection waited for: what came of the call is not known', async () => {
    const { turnId, id } = asked.connected;
    expect(await endOf(turnId)).toMatchObject([
      { status: 'unknown', output: expect.stringContaining('not known') },
    ]);
    const { body } = await server.client.get(`/api/harness/approvals/${id}`);
    expect(body['approval']).toMatchObject({ decision: 'cancelled', by: 'server' });
    expect(await answer(id, { decision: 'deny' })).toMatchObject({ status: 409 });
  });
});

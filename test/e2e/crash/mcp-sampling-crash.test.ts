import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import type { RehearsalRequest } from '../../../rehearsal/request-types.js';
import { startRehearsal } from '../../../rehearsal/start-rehearsal.js';
import { inDatabaseOf } from '../../support/crash/crash-series.js';
import { newStore } from '../../support/database/test-store.js';
import { expectSoon } from '../../support/expect-soon.js';
import { serveSamplingMcp } from '../../support/mcp/serve-sampling-mcp.js';
import { startProcess, type ServerProcess } from '../../support/processes/start-process.js';
import { newFolder, useShared } from '../../support/suite.js';

interface Usage {
  inputTokens: number;
  outputTokens: number;
  cacheWriteTokens: number;
}

const sum = (usages: readonly Usage[]) =>
  usages.reduce((all, one) => all + one.inputTokens + one.cacheWriteTokens + one.outputTokens, 0);

describe.each(['legacy', '2026-07-28'])(
  'kill -9 while a server of the era %s asks the model',
  (era) => {
    const requests: RehearsalRequest[] = [];
    const model = useShared(() =>
      startRehearsal({ onRequest: (request) => void requests.push(request) }),
    );
    const store = useShared(newStore);
    const sampler = useShared(() => serveSamplingMcp(era));
    let environment: Record<string, string>;
    let projectRoot: string;
    let server: ServerProcess;
    beforeAll(async () => {
      const folder = newFolder();
      const [file, rules] = [path.join(folder, 'mcp.json'), path.join(folder, 'rules.yaml')];
      const free = { url: sampler.url, protocol: era, sampling: { maxTokens: 300 } };
      await writeFile(file, JSON.stringify({ mcpServers: { free } }));
      await writeFile(rules, 'allow: ["mcp__*"]\n');
      projectRoot = await mkdtemp(path.join(folder, 'project-'));
      environment = {
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
    });
    beforeEach(() => {
      requests.length = 0;
      sampler.got.length = 0;
    });
    afterAll(() => server.kill('SIGKILL'));

    const sampled = () => requests.filter(({ body }) => (body.tools ?? []).length === 0);

    async function begin(prompt: string): Promise<string> {
      const content = { type: 'text', text: prompt };
      sampler.asks['ask'] = { params: { messages: [{ role: 'user', content }], maxTokens: 300 } };
      const sessionId = await server.client.createSession(projectRoot);
      const message = `[[tool=mcp__free__ask {}]] [[stall=3000 step=2]]`;
      const stream = await server.client.turn(sessionId, message, {
        opts: { onDisconnect: 'continue' },
      });
      return stream.header('x-turn-id');
    }

    const killAndStart = async (): Promise<void> => {
      await server.kill('SIGKILL');
      server = await startProcess(environment);
    };

    async function endOf(turnId: string) {
      const url = `/api/harness/turns/${turnId}`;
      await expectSoon(async () => {
        const { body } = await server.client.get(url);
        expect(body['turn']).toMatchObject({ status: 'completed' });
      });
      const { body } = await server.client.get(url);
      const { usage } = body['turn'] as { usage: Usage };
      const { body: ofCalls } = await server.client.get(`${url}/tools`);
      const [call] = ofCalls['calls'] as {
        status: string;
        sampling: { modelCalls: number; usage: Usage };
      }[];
      const { body: ofSteps } = await server.client.get(`${url}/steps`);
      const steps = (ofSteps['steps'] as { usage: Usage }[]).map((step) => step.usage);
      return { usage, call, steps };
    }

    it('counts the model call once, with all that was reserved for it', async () => {
      const turnId = await begin('[[tokens=20]] [[stall=60000]]');
      await expectSoon(() => expect(sampled()).toHaveLength(1));
      await killAndStart();
      const { usage, call, steps } = await endOf(turnId);
      expect(call).toMatchObject({ status: 'unknown', sampling: { modelCalls: 1 } });
      expect(call?.sampling.usage.outputTokens).toBe(300);
      expect(sum([usage])).toBe(sum([...steps, ...(call ? [call.sampling.usage] : [])]));
      expect(sampled()).toHaveLength(1);
    });

    it('counts one that was answered once, with what it used, and does not make it again', async () => {
      const turnId = await begin('[[tokens=20]]');
      await expectSoon(() => expect(sampler.got).toHaveLength(1));
      await expectSoon(() => expect(requests.length).toBeGreaterThanOrEqual(3));
      await killAndStart();
      const { usage, call, steps } = await endOf(turnId);
      expect(call).toMatchObject({ status: 'success', sampling: { modelCalls: 1 } });
      expect(call?.sampling.usage.outputTokens).toBeLessThan(100);
      expect(sum([usage])).toBe(sum([...steps, ...(call ? [call.sampling.usage] : [])]));
      expect(sampled()).toHaveLength(1);
      const { rows } = await inDatabaseOf(store, (db) =>
        db.execute(sql`select attempt from turns where id = ${turnId}`),
      );
      expect(rows).toEqual([{ attempt: 2 }]);
    });
  },
);

import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RehearsalRequest } from '../../../rehearsal/request-types.js';
import { startRehearsal } from '../../../rehearsal/start-rehearsal.js';
import { systemClock, type Clock } from '../../../src/platform/clock.js';
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

/** Milliseconds that outlast the way of all turns to where the server dies. */
const HELD_MS = 3_600_000;

const eras = ['legacy', '2026-07-28'] as const;

/** What the model is asked when the server dies: `unanswered` has no end, `answered` had one. */
const prompts = {
  unanswered: `First [[tokens=20]] [[stall=${HELD_MS}]]`,
  answered: 'Second [[tokens=20]]',
} as const;

describe('kill -9 while a server asks the model', () => {
  const requests: RehearsalRequest[] = [];
  let isHeld = true;
  /** The model stalls until the server is dead, and not again. A pause is shorter by what its reply took so far. */
  const clock: Clock = {
    now: () => systemClock.now(),
    after: (ms, callback) => systemClock.after(ms < HELD_MS / 2 || isHeld ? ms : 0, callback),
  };
  const model = useShared(() =>
    startRehearsal({ clock, onRequest: (request) => void requests.push(request) }),
  );
  const store = useShared(newStore);
  const legacy = useShared(() => serveSamplingMcp('legacy'));
  const modern = useShared(() => serveSamplingMcp('2026-07-28'));
  const samplers = { legacy, '2026-07-28': modern };
  const turnIds = new Map<string, string>();
  let server: ServerProcess;

  /** Requests of the model for the servers, which ask with no tools. */
  const sampled = (era: string, prompt: string) =>
    requests.filter(({ body }) => {
      const said = JSON.stringify(body.messages);
      return (body.tools ?? []).length === 0 && said.includes(`${era} ${prompt}`);
    });
  /** Requests of the turns that ask: the second of each comes after its call. */
  const afterCall = (turn: string) =>
    requests.filter(({ body }) => {
      const said = JSON.stringify(body.messages);
      return (body.tools ?? []).length > 0 && said.includes(turn) && said.includes('tool_result');
    });

  beforeAll(async () => {
    const folder = newFolder();
    const [file, rules] = [path.join(folder, 'mcp.json'), path.join(folder, 'rules.yaml')];
    const mcpServers = Object.fromEntries(
      eras.map((era) => [
        `at-${era}`,
        { url: samplers[era].url, protocol: era, sampling: { maxTokens: 300 } },
      ]),
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
    for (const era of eras) {
      for (const [tool, prompt] of [
        ['ask', prompts.unanswered],
        ['more', prompts.answered],
      ] as const) {
        const content = { type: 'text', text: `${era} ${prompt}` };
        const messages = [{ role: 'user', content }];
        samplers[era].asks[tool] = { params: { messages, maxTokens: 300 } };
        const sessionId = await server.client.createSession(projectRoot);
        const message = `Turn ${era} ${tool}: [[tool=mcp__at-${era}__${tool} {}]] [[stall=${HELD_MS} step=2]]`;
        const stream = await server.client.turn(sessionId, message, {
          opts: { onDisconnect: 'continue' },
        });
        turnIds.set(`${era} ${tool}`, stream.header('x-turn-id'));
      }
    }
    for (const era of eras) {
      await expectSoon(() => {
        expect(sampled(era, prompts.unanswered)).toHaveLength(1);
        expect(samplers[era].got).toHaveLength(1);
        expect(afterCall(`Turn ${era} more`)).toHaveLength(1);
      });
    }
    await server.kill('SIGKILL');
    isHeld = false;
    server = await startProcess(environment);
  });
  afterAll(() => server.kill('SIGKILL'));

  async function endOf(turnId: string | undefined) {
    const url = `/api/harness/turns/${turnId}`;
    await expectSoon(async () => {
      const { body } = await server.client.get(url);
      expect(body['turn']).toMatchObject({ status: 'completed', error: null });
    });
    const { body } = await server.client.get(url);
    const { usage, attempt } = body['turn'] as { usage: Usage; attempt: number };
    const { body: ofCalls } = await server.client.get(`${url}/tools`);
    const [call] = ofCalls['calls'] as {
      status: string;
      sampling: { modelCalls: number; usage: Usage };
    }[];
    const { body: ofSteps } = await server.client.get(`${url}/steps`);
    const steps = (ofSteps['steps'] as { usage: Usage }[]).map((step) => step.usage);
    return { usage, attempt, call, steps };
  }

  describe.each(eras)('of the era %s', (era) => {
    it('counts the model call once, with all that was reserved for it', async () => {
      const { usage, call, steps } = await endOf(turnIds.get(`${era} ask`));
      expect(call).toMatchObject({ status: 'unknown', sampling: { modelCalls: 1 } });
      expect(call?.sampling.usage.outputTokens).toBe(300);
      expect(sum([usage])).toBe(sum([...steps, ...(call ? [call.sampling.usage] : [])]));
      expect(sampled(era, prompts.unanswered)).toHaveLength(1);
    });

    it('counts one that was answered once, with what it used, and does not make it again', async () => {
      const { usage, attempt, call, steps } = await endOf(turnIds.get(`${era} more`));
      expect(call).toMatchObject({ status: 'success', sampling: { modelCalls: 1 } });
      expect(call?.sampling.usage.outputTokens).toBeLessThan(100);
      expect(sum([usage])).toBe(sum([...steps, ...(call ? [call.sampling.usage] : [])]));
      expect(sampled(era, prompts.answered)).toHaveLength(1);
      expect(attempt).toBe(2);
    });
  });
});

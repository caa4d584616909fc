import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startRehearsal, type Rehearsal } from '../../src/rehearsal/start-rehearsal.js';
import { expectSoon } from '../support/expect-soon.js';
import { instructionRootWith } from '../support/agents/instruction-root.js';
import { startProcess, type ServerProcess } from '../support/processes/start-process.js';
import { newStore, type TestStore } from '../support/database/test-store.js';
import { wireClients, type WireClient } from '../support/clients/wire-clients.js';

const WORDS = 80;
const answer = Array.from({ length: WORDS }, (_, index) => `word${index + 1}`).join(' ');

describe('a server that is killed in the middle of an answer, and starts again', () => {
  let model: Rehearsal;
  let store: TestStore;
  let server: ServerProcess;
  const folders: string[] = [];
  const clients = new Map<string, WireClient>();
  const back = new Map<string, Promise<unknown>>();
  beforeAll(async () => {
    model = await startRehearsal();
    store = await newStore();
    const folder = await mkdtemp(path.join(tmpdir(), 'turnpike-crash-'));
    const projectRoot = await mkdtemp(path.join(folder, 'project-'));
    const instructions = await instructionRootWith({});
    folders.push(folder, instructions);
    const environment = {
      ...store.environment,
      TURNPIKE_INSTRUCTION_ROOT: instructions,
      TURNPIKE_PROJECT_ROOT: projectRoot,
      TURNPIKE_PROVIDER_BASE_URL: model.url,
      TURNPIKE_EGRESS_ALLOW: model.url,
      ANTHROPIC_API_KEY: 'sk-ant-test-key',
      TURNPIKE_LEASE_MS: '1000',
      // Clients of some wires come back only on a call of the test.
      TURNPIKE_DISCONNECT_GRACE_MS: '60000',
    };
    server = await startProcess(environment);
    const asked = { url: server.url, projectRoot, message: `[[tokens=${WORDS} gap=100]]` };
    for (const [name, open] of Object.entries(wireClients)) clients.set(name, await open(asked));
    await expectSoon(() => {
      for (const client of clients.values()) expect(client.received()).toContain('word5 ');
    });
    const { port } = new URL(server.url);
    await server.kill('SIGKILL');
    server = await startProcess({ ...environment, TURNPIKE_PORT: port });
    for (const [name, client] of clients) {
      const coming = client.comeBack();
      coming.catch(() => undefined);
      back.set(name, coming);
    }
  }, 300_000);
  afterAll(async () => {
    await server.kill('SIGKILL');
    await model.close();
    await store.remove();
    for (const folder of folders)
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  it.each(Object.keys(wireClients))('leaves %s with the answer, said once', async (name) => {
    await back.get(name);
    expect(clients.get(name)?.answer()).toBe(answer);
  });
});

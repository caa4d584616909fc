import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import { runExample, words } from '../../support/clients/run-example.js';
import { documentedBlocks } from '../../support/clients/documented-blocks.js';
import {
  startFaultyGateway,
  type FaultyGateway,
} from '../../support/clients/start-faulty-gateway.js';
import { given } from '../../support/processes/test-services.js';
import { useServer } from '../../support/processes/start-server.js';

const run = promisify(execFile);
const blocks = documentedBlocks().get('docs/guide/python.md') ?? [];
const clientFolder = fileURLToPath(new URL('../../../clients/python/', import.meta.url));

describe('the Python client', () => {
  let gateway: FaultyGateway | undefined;
  const server = useServer();
  afterEach(() => gateway?.close());

  const tour = (url: string): Promise<string> =>
    runExample(given('TEST_PYTHON'), 'python/tour.py', url, { PYTHONPATH: clientFolder });

  it('passes its own tests', async () => {
    const args = ['-W', 'error::ResourceWarning', '-m', 'unittest', 'discover', '-s', 'tests'];
    const { PATH = '' } = process.env;
    const { stderr } = await run(given('TEST_PYTHON'), args, {
      cwd: clientFolder,
      env: { PATH, PYTHONPATH: clientFolder, PYTHONDONTWRITEBYTECODE: '1' },
      timeout: 600_000,
    });
    expect(stderr).toMatch(/Ran (?:[5-9]\d|\d{3}) tests/);
    expect(stderr).toMatch(/\nOK\n$/);
  });

  it('reads turns whole where connections break, and goes on after the last event', async () => {
    gateway = await startFaultyGateway(server.url, { cuts: [3, 1, 1] });
    const output = await tour(gateway.url);
    expect(output).toContain(`${words(40)}\ncompleted`);
    const cursors = gateway.requests
      .filter(({ path }) => path.endsWith('/events'))
      .map(({ headers }) => headers['last-event-id']);
    expect(cursors.length).toBeGreaterThanOrEqual(3);
    expect(new Set(cursors).size).toBe(cursors.length);
  });

  it('takes what a stranger takes of it: approvals, files, objects, refusals', async () => {
    const output = await tour(server.url);
    expect(output).toContain('May it write? Yes.');
    expect(output).toContain('wrote 5 bytes to notes.txt');
    expect(output).toContain('Attachments: 1 (document)');
    expect(output).toContain("Ship ['masts', 'name']");
    expect(output).toMatch(/SESSION_NOT_FOUND \(404\): .* Again\? False/);
  });

  it.each([
    [0, 'completed'],
    [1, 'name='],
    [2, 'Attachments: 1 (document)'],
  ])('runs block %i of its guide', async (index, shown) => {
    const code = (blocks[index]?.code ?? '')
      .replaceAll('http://127.0.0.1:4400', server.url)
      .replaceAll('/home/me/project', server.projectRoot);
    const env = { PATH: '/usr/bin', PYTHONPATH: clientFolder, PYTHONDONTWRITEBYTECODE: '1' };
    const { stdout } = await run(given('TEST_PYTHON'), ['-c', code], { env, timeout: 600_000 });
    expect(stdout).toContain(shown);
  });

  it('sends a turn again as the answer advises, under one key', async () => {
    gateway = await startFaultyGateway(server.url, { refusals: 2 });
    expect(await tour(gateway.url)).toContain(`${words(40)}\ncompleted`);
    const turns = gateway.requests.filter(({ path }) => path === '/api/harness/turn');
    const [first, ...more] = turns.map(({ headers }) => headers['idempotency-key']);
    expect(more.slice(0, 2)).toEqual([first, first]);
    expect(more[2]).not.toBe(first);
  });
});

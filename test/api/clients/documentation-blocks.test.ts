import { execFile } from 'node:child_process';
import { copyFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseConfig } from '../../../src/config/config.js';
import { loadPermissions } from '../../../src/options/permission-mode.js';
import { loadMcpFile } from '../../../src/tools/mcp/mcp-file.js';
import { documentedBlocks, framesOf, type Block } from '../../support/clients/documented-blocks.js';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import { startServer, type TestServer } from '../../support/processes/start-server.js';
import { branchUses } from '../../support/clients/documented-branches.js';
import { packageUses } from '../../support/clients/documented-packages.js';
import { keyUses } from '../../support/clients/documented-keys.js';
import { feedbackUses } from '../../support/clients/documented-feedback.js';
import { replayUses } from '../../support/clients/documented-replays.js';
import { memoryUses } from '../../support/clients/documented-memory.js';
import { scheduleUses } from '../../support/schedules/documented-schedules.js';
import { outputUses } from '../../support/clients/documented-outputs.js';
import {
  clientToolUses,
  hookUses,
  ownUses,
  skillUses,
} from '../../support/clients/documented-tools.js';
import { webhookUses } from '../../support/clients/documented-webhooks.js';
import { newFolder } from '../../support/suite.js';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../../', import.meta.url));
const files = path.join(repository, 'test/fixtures/files');
const blocks = documentedBlocks();
const blockOf = (page: string, index = 0): Block =>
  blocks.get(page)?.[index] ?? { language: 'none', code: '' };

let folder: string;
let server: TestServer;
/** Things that the blocks of a page share: what their shortened ids stand for. */
let names: Record<string, string>;

/** Runs a block as a reader would, in a project with the files that pages name. */
async function shell(code: string, environment: Record<string, string> = {}): Promise<string> {
  const filled = Object.entries({ 'http://127.0.0.1:4400': server.url, ...names }).reduce(
    (script, [shown, real]) => script.replaceAll(shown, real),
    code,
  );
  const options = {
    cwd: server.projectRoot,
    env: { ...process.env, ...environment },
    timeout: 30_000,
  };
  return (await run('bash', ['-euo', 'pipefail', '-c', filled], options)).stdout;
}

/** The message of the error that an act fails with. */
async function faultOf(act: () => unknown): Promise<string> {
  try {
    await act();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error('The act failed with no error');
}

/** Takes a block's code and the output of the page's blocks before it. */
type Run = (code: string, before: string) => Promise<string>;
type Use = Run | { elsewhere: string };

const elsewhere = (reason: string): Use => ({ elsewhere: reason });
const { runsWithKey, makesKey } = keyUses({ shell, names: () => names });
const ofPackages = packageUses({ server: () => server, shell, names: () => names });
const own = ownUses({ shell }, path.join(repository, 'dist/cli.js'));
const isGolden = elsewhere('is a file of test/golden; npm run docs -- --check compares the two');
const isChart = elsewhere('needs a cluster; helm-chart.test.ts renders the chart');
const isMigrated = elsewhere('is of Docker, or a sentence of migrate.test.ts');
const isDrilled = elsewhere('backup.test.ts of both back ends runs it');
const isRun = elsewhere('client-examples.test.ts runs it over the published client');

const createsSession: Run = async (code) => {
  const output = await shell(code);
  const { session } = JSON.parse(/^\{.*\}$/m.exec(output)?.[0] ?? '') as {
    session: { sessionId: string };
  };
  names['sess_b01a…'] = session.sessionId;
  return output;
};

const runsTurn: Run = async (code) => {
  const stream = await shell(code);
  names['turn_094c…'] = /^id: (turn_[^:]+):/m.exec(stream)?.[1] ?? 'none';
  expect(stream).toContain('event: process:exit');
  return stream;
};

const showsFrames: Use = async (code, stream) => {
  const shown = framesOf(code);
  expect(shown.length).toBeGreaterThan(0);
  expect(framesOf(stream)).toEqual(expect.arrayContaining(shown));
  return stream;
};

const resumes: Use = async (code) => {
  const rest = await shell(code);
  expect(rest).not.toContain('event: session:init');
  expect(rest).toContain('event: process:exit');
  return rest;
};

/** Runs a turn in a new session. */
const runsOneTurn: Use = async (code, before) => {
  names['sess_b01a…'] = await server.client.createSession(server.projectRoot);
  return runsTurn(code, before);
};

const isReady: Use = async (code) => {
  const output = await shell(code);
  expect(JSON.parse(output)).toMatchObject({ ready: true });
  return output;
};

const isStarted = elsewhere('starts a server in the foreground; suites of the setting start one');

const asksReader: Use = async (code) => {
  const output = await shell(code);
  expect(output).toContain('"tokens_used"');
  expect(output).toContain('event: stream_end');
  return output;
};

const page = {
  server: () => server,
  shell,
  name: (shown: string, real: string) => (names[shown] = real),
};

const uses: Record<string, Use[]> = {
  'README.md': [
    elsewhere('starts the server and the tests; the processes of test/e2e are started by it'),
    elsewhere(
      'installs and needs Docker; test/release/package.test.ts starts the package with npx',
    ),
    elsewhere('is a drawing'),
    async (code) => {
      const [create = '', turn = ''] = code.split(/\n\n/);
      await createsSession(create, '');
      return runsTurn(turn, '');
    },
    showsFrames,
    resumes,
    isRun,
  ],
  'docs/guide/approvals.md': [
    async (code) => {
      const { client, projectRoot } = server;
      const sessionId = await client.createSession(projectRoot);
      const message = '[[tool=write {"file_path":"notes.txt","content":"Hello"}]]';
      const turn = await client.turn(sessionId, message);
      const asked = await turn.until('approval:request');
      names['appr_01a1…'] = String(asked.data['approvalId']);
      const output = await shell(code);
      expect(output).toContain('"decision":"approve"');
      expect((await turn.all()).at(-1)?.data).toEqual({ exitCode: 0 });
      return output;
    },
  ],
  'docs/guide/behind-my-product.md': [makesKey],
  'docs/guide/branches.md': branchUses({ server: () => server, shell, names: () => names }),
  'docs/guide/busy-sessions.md': [runsOneTurn],
  'docs/guide/client-tools.md': clientToolUses({ server: () => server }),
  'docs/guide/client.md': [isRun, isRun, isRun],
  'docs/guide/console.md': [isStarted],
  'docs/guide/feedback.md': feedbackUses(page),
  'docs/guide/files.md': [
    async (code) => {
      const output = await shell(code);
      const shown = JSON.parse(/# (.*)/.exec(code)?.[1]?.replace(', …', '') ?? '') as {
        attachments: [object];
        errors: unknown[];
      };
      const { attachments, errors } = JSON.parse(output) as typeof shown;
      expect(Object.keys(attachments[0])).toEqual(
        expect.arrayContaining(Object.keys(shown.attachments[0])),
      );
      expect([attachments.length, errors]).toEqual([2, []]);
      return output;
    },
  ],
  'docs/guide/limits.md': [runsOneTurn],
  'docs/guide/mcp.md': [
    async (code) => {
      const file = path.join(folder, 'mcp.json');
      await writeFile(file, code);
      const definitions = await loadMcpFile(file, { GITHUB_TOKEN: 'ghp_of_a_reader' });
      expect(definitions).toMatchObject({
        github: { headers: { Authorization: 'Bearer ghp_of_a_reader' } },
        files: { command: 'npx', trustAnnotations: true },
      });
      return '';
    },
  ],
  'docs/guide/memory.md': memoryUses(page),
  'docs/guide/model-failures.md': [runsOneTurn],
  'docs/guide/models.md': [
    async (code) => {
      const output = await shell(code);
      expect(output).toContain('"our-model"');
      return output;
    },
    async (code) => {
      const { body } = await server.client.get('/api/harness/models');
      const { contextWindow, maxOutput, name } = (
        JSON.parse(code) as Record<string, Record<string, unknown>>
      )['our-model'] as Record<string, unknown>;
      expect(body['models']).toContainEqual(
        expect.objectContaining({ id: 'our-model', name, contextWindow, maxOutput }),
      );
      return '';
    },
  ],
  'docs/guide/named-agents.md': [
    async () => {
      const { body } = await server.client.get('/agents');
      expect(body['agents']).toContainEqual(
        expect.objectContaining({
          name: 'reader',
          description: 'Answers questions about a project, with file and line.',
        }),
      );
      return '';
    },
    asksReader,
  ],
  'docs/guide/permissions.md': [
    async () => {
      const { client, projectRoot } = server;
      const sessionId = await client.createSession(projectRoot);
      const turn = await client.turn(
        sessionId,
        '[[tool=read {"file_path":".env"}]] [[tool=grep {"pattern":"a"}]]',
      );
      const results = (await turn.all()).filter(({ event }) => event === 'tool:result');
      expect(
        results.map(({ data }) => `${String(data['name'])}: ${String(data['status'])}`).toSorted(),
      ).toEqual(['grep: denied', 'read: denied']);
      return '';
    },
  ],
  'docs/guide/provider-tools.md': [isStarted],
  'docs/guide/rehearsal.md': [
    elsewhere('starts a server; the suites of the rehearsal model send the same directives'),
    elsewhere('is a run of these tests, which would start their own'),
  ],
  'docs/guide/replay.md': replayUses(page),
  'docs/guide/sandbox.md': [elsewhere('installs a package')],
  'docs/guide/schedules.md': scheduleUses(shell),
  'docs/guide/sessions-and-turns.md': [
    createsSession,
    async (code, output) => {
      const { session } = JSON.parse(code) as { session: object };
      const made = (JSON.parse(output) as { session: object }).session;
      expect(Object.keys(made).toSorted()).toEqual(Object.keys(session).toSorted());
      return output;
    },
    runsTurn,
    async (code, stream) => {
      expect(framesOf(stream)).toEqual(framesOf(code));
      return stream;
    },
    resumes,
  ],
  'docs/guide/skills.md': skillUses({ server: () => server, shell }),
  'docs/guide/structured-output.md': outputUses({
    server: () => server,
    shell,
    name: (shown, real) => (names[shown] = real),
  }),
  'docs/guide/subagents.md': [isStarted],
  'docs/guide/tool-hook.md': hookUses({ shell }),
  'docs/guide/webhooks.md': webhookUses(page),
  'docs/guide/your-own-agent.md': own.agent,
  'docs/guide/your-own-tool.md': own.tool,
  'docs/how-to/extensions.md': [
    elsewhere('names a package of the reader; extensions.test.ts starts the examples'),
    elsewhere('scripts/extend-types.mjs compiles it; its server of tickets is the reader’s'),
  ],
  'docs/operate/access.md': [
    async (code) => {
      const output = await runsWithKey(code);
      expect(output).toContain('"sessions":[]');
      expect(output).toContain('is revoked');
      return output;
    },
  ],
  'docs/operate/backup.md': Array<Use>(5).fill(isDrilled),
  'docs/operate/budgets.md': [makesKey],
  'docs/operate/configuration.md': [
    async (code) => {
      const file = path.join(folder, 'permissions.yaml');
      await writeFile(file, 'allow:\n  - read\n  - wread\n\ndeny: bash\n');
      const tools = [{ name: 'read' }, { name: 'bash' }];
      const told = [
        await faultOf(() => parseConfig({ TURNPIKE_PORT: '80a', TURNPIKE_PROT: '4400' })),
        await faultOf(() => loadPermissions(file, tools)),
      ].join('\n\n');
      expect(told.replaceAll(file, '/etc/turnpike/permissions.yaml')).toBe(code.trim());
      return told;
    },
  ],
  'docs/operate/databases.md': [isReady],
  'docs/operate/docker.md': [
    elsewhere('needs Docker; scripts/lint-deploy.mjs checks its files'),
    elsewhere('needs Docker; scripts/lint-deploy.mjs checks its files'),
  ],
  'docs/operate/gateways.md': [isStarted],
  'docs/operate/kubernetes.md': Array.from({ length: 7 }, () => isChart),
  'docs/operate/logs.md': [
    elsewhere('is the line that observability/logs.test.ts expects'),
    elsewhere('needs the logs of a deployment'),
  ],
  'docs/operate/metrics.md': [
    async (code) => {
      const output = await shell(code);
      expect(output).toMatch(/^turnpike_build_info\{.*\} 1$/m);
      return output;
    },
    async (code) => {
      const output = await runsWithKey(code);
      expect(output).toContain('turnpike_worker_slots ');
      return output;
    },
    elsewhere('is the configuration of Prometheus'),
    elsewhere('is a suite of its own'),
  ],
  'docs/operate/production.md': [isReady],
  'docs/operate/several-processes.md': [
    elsewhere('does not end; many-processes.test.ts starts the same programs'),
  ],
  'docs/operate/sizing.md': [elsewhere('takes minutes, and a quiet machine')],
  'docs/operate/tracing.md': [
    elsewhere('installs packages; traced-processes.test.ts imports the file beside the same ones'),
    elsewhere('needs a collector; traced-processes.test.ts starts the built server so'),
    elsewhere('is a suite of its own'),
    elsewhere('is the tree that e2e/server/tracing.test.ts expects'),
  ],
  'docs/operate/troubleshooting.md': [elsewhere('needs the logs of a deployment')],
  'docs/operate/upgrades.md': [isMigrated, isMigrated, isMigrated, isMigrated],
  'docs/operate/versioning.md': [
    async (code) => {
      const cli = path.join(repository, 'dist/cli.js');
      const output = await shell(`turnpike() { ${process.execPath} ${cli} "$@"; }\n${code}`);
      expect(output).toMatch(/^\d+\.\d+\.\d+.*\n\{.*"version":"\d/);
      return output;
    },
  ],
  'docs/wires/ag-ui.md': [ofPackages.runsAgUi, isGolden],
  'docs/wires/ai-sdk.md': [
    elsewhere('is of a React component; ai-sdk.test.ts sends through the same transport'),
    elsewhere('is of a React component; chat-example.test.ts runs one that has it'),
    elsewhere('is of a React component; ai-sdk.test.ts leaves out what is discarded'),
    isGolden,
  ],
  'docs/wires/harness.md': [runsOneTurn, isGolden],
  'docs/wires/named-agents.md': [asksReader, isGolden],
  'docs/wires/oracle.md': [
    async (code) => {
      const output = await shell(code);
      expect(output).toContain('"type":"done"');
      return output;
    },
    isGolden,
  ],
  'docs/wires/responses.md': [ofPackages.runsOpenAi, ofPackages.resumesResponse, isGolden],
};

describe('the blocks of code of the documentation', () => {
  const instructions = instructionRootWith({});
  beforeAll(async () => {
    folder = newFolder();
    const at = (name: string): string => path.join(folder, name);
    await writeFile(
      path.join(instructions, 'agents/reader.md'),
      blockOf('docs/guide/named-agents.md').code,
    );
    await writeFile(at('models.json'), blockOf('docs/guide/models.md', 1).code);
    await writeFile(at('permissions.yaml'), blockOf('docs/guide/permissions.md').code);
    server = await startServer({
      environment: {
        TURNPIKE_INSTRUCTION_ROOT: instructions,
        TURNPIKE_WEBHOOK_PRIVATE_HOSTS: '127.0.0.1:*',
        TURNPIKE_MODELS: at('models.json'),
        TURNPIKE_PERMISSIONS_FILE: at('permissions.yaml'),
      },
    });
    const { projectRoot } = server;
    await copyFile(path.join(repository, 'package.json'), path.join(projectRoot, 'package.json'));
    await copyFile(path.join(files, 'report.pdf'), path.join(projectRoot, 'report.pdf'));
    await copyFile(
      path.join(files, 'photo-orientation-6.jpg'),
      path.join(projectRoot, 'photo.jpg'),
    );
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('each have a use here, or a reason why they are run elsewhere', () => {
    const counted = [...blocks].map(([page, found]) => [page, found.length]);
    expect(counted).toEqual(Object.entries(uses).map(([page, used]) => [page, used.length]));
  });

  it.each([...blocks.keys()].filter((page) => uses[page]?.some((use) => !('elsewhere' in use))))(
    'do what %s says',
    async (page) => {
      names = {};
      let output = '';
      for (const [index, use] of (uses[page] ?? []).entries()) {
        if (typeof use === 'function') output = await use(blockOf(page, index).code, output);
      }
    },
  );
});

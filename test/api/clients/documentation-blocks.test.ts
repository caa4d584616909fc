import { copyFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import { parsePersona } from '../../support/agents/parse-persona.js';
import { configurationUse } from '../../support/clients/documented-configuration.js';
import { documentedBlocks, framesOf, type Block } from '../../support/clients/documented-blocks.js';
import { useDocumentedPage, type Run } from '../../support/clients/documented-page.js';
import {
  clientToolUses,
  hookUses,
  logInUses,
  mcpFileUse,
  mcpLogInUse,
  mcpWireUses,
  ownUses,
  pageLogInUses,
  permissionUse,
  skillUses,
} from '../../support/clients/documented-tools.js';
import { approvalUses } from '../../support/clients/documented-approvals.js';
import { scheduleUses } from '../../support/clients/documented-schedules.js';
import { webhookUses } from '../../support/clients/documented-webhooks.js';
import { useServer } from '../../support/processes/start-server.js';
import { newFolder } from '../../support/suite.js';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const files = path.join(repository, 'test/fixtures/files');
const blocks = documentedBlocks();
const blockOf = (page: string, index = 0): Block =>
  blocks.get(page)?.[index] ?? { language: 'none', code: '' };

const folder = newFolder();
const at = (name: string): string => path.join(folder, name);
const server = useServer(async () => {
  const instructions = instructionRootWith({});
  const agent = path.join(instructions, 'agents/reader.md');
  await writeFile(agent, blockOf('docs/guide/named-agents.md').code);
  await writeFile(at('models.json'), blockOf('docs/guide/models.md', 1).code);
  await writeFile(at('permissions.yaml'), blockOf('docs/guide/permissions.md').code);
  return {
    environment: {
      TURNPIKE_INSTRUCTION_ROOT: instructions,
      TURNPIKE_WEBHOOK_PRIVATE_HOSTS: '127.0.0.1:*',
      TURNPIKE_MODELS: at('models.json'),
      TURNPIKE_PERMISSIONS_FILE: at('permissions.yaml'),
    },
  };
});
beforeAll(async () => {
  const inProject = (name: string): string => path.join(server.projectRoot, name);
  await copyFile(path.join(repository, 'package.json'), inProject('package.json'));
  await copyFile(path.join(files, 'report.pdf'), inProject('report.pdf'));
  await copyFile(path.join(files, 'photo-orientation-6.jpg'), inProject('photo.jpg'));
});

const page = useDocumentedPage(server);
const { createsSession, makesKey, prints, runsModule, runsOneTurn, runsTurn } = page;

type Use = Run | { elsewhere: string };

const elsewhere = (reason: string): Use => ({ elsewhere: reason });
const own = ownUses(page);
const isMigrated = elsewhere('is of Docker, or a sentence of migrate.test.ts');
const isDrilled = elsewhere('backup.test.ts of both back ends runs it');
const isMinted = elsewhere('is of a backend; page-tokens.test.ts makes such tokens');
const isLinked = elsewhere('tools-project.test.ts compiles and runs a project that has it');
const isPython = elsewhere('python-client.test.ts runs it over the client');
const isRun = elsewhere('client-examples.test.ts runs it over the published client');

const showsFrames: Use = async (code, stream) => {
  const shown = framesOf(code);
  expect(shown.length).toBeGreaterThan(0);
  expect(framesOf(stream)).toEqual(expect.arrayContaining(shown));
  return stream;
};

const resumes: Use = async (code) => {
  const rest = await page.shell(code);
  expect(rest).not.toContain('event: session:init');
  expect(rest).toContain('event: process:exit');
  return rest;
};

const isStarted = elsewhere('starts a server in the foreground; suites of the setting start one');

const asksReader = prints('"tokens_used"', 'event: stream_end');

/** The turn that the page about replays has replayed. */
let replayed = { sessionId: '', turnId: '' };

const uses: Record<string, Use[]> = {
  'README.md': [
    elsewhere('starts the server; scripts/test-nodes.mjs calls it in a clone'),
    async (code) => {
      const [create = '', turn = ''] = code.split(/\n\n/);
      await createsSession(create, '');
      return runsTurn(turn, '');
    },
    showsFrames,
    resumes,
    elsewhere('starts the tests'),
  ],
  'docs/guide/approvals.md': approvalUses.answer(server, page),
  'docs/guide/behind-my-product.md': [makesKey],
  'docs/guide/branches.md': [
    async (code) => {
      const { sessionId, turnId } = await page.turn();
      const forkedFrom = { sessionId, turnId, position: 'after' };
      return prints({ session: { forkedFrom }, filesReverted: false })(code, '');
    },
    async (code) => {
      await page.evaluate(code, await page.turn());
      return '';
    },
    async (code) => {
      const { turnId } = await page.turn();
      return prints(`"replaces":"${turnId}","filesReverted":false`)(code, '');
    },
  ],
  'docs/guide/busy-sessions.md': [runsOneTurn],
  'docs/guide/claude-projects.md': [
    elsewhere('project-command.test.ts runs it'),
    elsewhere('starts a server; claude-project.test.ts starts one with the setting'),
  ],
  'docs/guide/client-tools.md': clientToolUses(server),
  'docs/guide/client.md': [
    isRun,
    isRun,
    isRun,
    elsewhere('is of a React component; client-types.mjs compiles it'),
    isMinted,
  ],
  'docs/guide/console.md': [isStarted],
  'docs/guide/feedback.md': [
    async (code) => {
      await page.turn();
      return prints('"comment":"Right to the point."')(code, '');
    },
    async (code) => {
      const output = await page.shell(code);
      expect(output.split('"key":"helpful"')).toHaveLength(4);
      return output;
    },
    async (code) => {
      const output = await page.shell(code);
      expect(output.split('helpful=true')).toHaveLength(4);
      return output;
    },
  ],
  'docs/guide/files.md': [
    async (code) => {
      const output = await page.shell(code);
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
  'docs/guide/first-five-minutes.md': [
    elsewhere('needs published packages; create-turnpike.test.ts starts a project of tarballs'),
    elsewhere('packs the repository; create-turnpike.test.ts has these steps'),
  ],
  'docs/guide/from-the-agent-sdk.md': [
    elsewhere('is a line of a program'),
    elsewhere('agent-sdk/guide.test.ts runs it'),
    elsewhere('agent-sdk/guide.test.ts runs it'),
  ],
  'docs/guide/inside-your-application.md': [
    elsewhere('packs the repository; test/release/package.test.ts installs the package'),
    elsewhere('embedded.test.ts runs it'),
    elsewhere('embedded.test.ts and nest.test.ts send it'),
    elsewhere('nest.test.ts runs it'),
  ],
  'docs/guide/limits.md': [runsOneTurn],
  'docs/guide/mcp-log-in.md': [mcpLogInUse],
  'docs/guide/mcp.md': [mcpFileUse(at)],
  'docs/guide/memory.md': [
    async (code) => {
      const { memory, problems } = parsePersona('REPORTER', code);
      expect({ memory, problems }).toEqual({ memory: true, problems: [] });
      return '';
    },
    async (code) => {
      await page.session();
      return prints('File created successfully at: /memories/report.md')(code, '');
    },
    prints(/^ETag: "\d+"/im, 'Due on Fridays.', 'Due on Thursdays.', '{"deletedFiles":1}'),
    prints(),
  ],
  'docs/guide/model-failures.md': [runsOneTurn],
  'docs/guide/models.md': [
    prints('"our-model"'),
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
    elsewhere('cost-of-turn.test.ts runs it'),
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
    elsewhere('defined-agents.test.ts runs it'),
  ],
  'docs/guide/page-log-in-tokens.md': pageLogInUses.pageTokens,
  'docs/guide/page-log-in.md': pageLogInUses.page,
  'docs/guide/permissions.md': [permissionUse(server, page)],
  'docs/guide/provider-tools.md': [isStarted],
  'docs/guide/python.md': Array<Use>(3).fill(isPython),
  'docs/guide/rehearsal.md': [
    elsewhere('starts a server; the suites of the rehearsal model send the same directives'),
  ],
  'docs/guide/replay.md': [
    async (code) => {
      replayed = await page.turn();
      const { turnId } = replayed;
      const options = { model: 'claude-haiku-5-5' };
      const output = await prints({ turn: { replayOf: turnId, options } })(code, '');
      const replay = (JSON.parse(output) as { turn: { turnId: string } }).turn.turnId;
      page.names['turn_5d10…'] = replay;
      await (await server.client.follow(replay)).all();
      return output;
    },
    prints('"recorded":{"hits":0,"misses":0}', '"replays":[{'),
    async (code) => {
      const { turnId } = replayed;
      expect(
        await page.evaluate(`${code}\nreturn { left, right, tools };`, replayed),
      ).toMatchObject({
        left: { turnId },
        right: { replayOf: turnId, outcome: 'completed' },
      });
      return '';
    },
    prints('claude-haiku-5-5'),
  ],
  'docs/guide/sandbox.md': [elsewhere('installs a package')],
  'docs/guide/schedules.md': scheduleUses(page),
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
  'docs/guide/skills.md': skillUses(server, page),
  'docs/guide/structured-output.md': [
    async (code) => {
      await page.session();
      // The rehearsal's simplest object of the schema.
      const output = { city: 'text', people: 1 };
      return prints({ outcome: 'completed', output })(code, '');
    },
  ],
  'docs/guide/subagents.md': [isStarted],
  'docs/guide/tool-hook.md': hookUses(page),
  'docs/guide/webhooks.md': webhookUses(server, page),
  'docs/guide/who-may-approve.md': approvalUses.roles,
  'docs/guide/your-own-agent.md': own.agent,
  'docs/guide/your-own-tool.md': [...own.tool, isLinked, isLinked],
  'docs/how-to/extensions.md': [
    elsewhere('names a package of the reader; extensions.test.ts starts the examples'),
    elsewhere('scripts/extend-types.mjs compiles it; its server of tickets is the reader’s'),
  ],
  'docs/operate/access.md': [
    async (code) => {
      const output = await page.shellWithKey(code);
      expect(output).toContain('"sessions":[]');
      expect(output).toContain('is revoked');
      return output;
    },
  ],
  'docs/operate/backup.md': Array<Use>(5).fill(isDrilled),
  'docs/operate/budgets.md': [makesKey],
  'docs/operate/clouds.md': Array<Use>(3).fill(
    elsewhere('needs a cloud; clouds.test.ts and cloud-table.test.ts run what it says'),
  ),
  'docs/operate/configuration.md': [configurationUse(at)],
  'docs/operate/databases.md': [prints({ ready: true })],
  'docs/operate/docker.md': Array<Use>(2).fill(
    elsewhere('needs Docker; scripts/lint-deploy.mjs checks its files'),
  ),
  'docs/operate/gateways.md': [isStarted],
  'docs/operate/kubernetes.md': Array<Use>(7).fill(elsewhere('helm-chart.test.ts has it')),
  'docs/operate/leavers.md': logInUses.leavers,
  'docs/operate/local-models.md': Array<Use>(3).fill(
    elsewhere('compatible-gateway.test.ts and foreign-server.test.ts run such places'),
  ),
  'docs/operate/log-in-command-line.md': logInUses.commandLine,
  'docs/operate/log-in-console.md': logInUses.console,
  'docs/operate/log-in.md': logInUses.setUp,
  'docs/operate/logs.md': [
    elsewhere('is the line that observability/logs.test.ts expects'),
    elsewhere('needs the logs of a deployment'),
  ],
  'docs/operate/metrics.md': [
    prints(/^turnpike_build_info\{.*\} 1$/m),
    async (code) => {
      const output = await page.shellWithKey(code);
      expect(output).toContain('turnpike_worker_slots ');
      return output;
    },
    elsewhere('is the configuration of Prometheus'),
  ],
  'docs/operate/other-makers.md': [
    elsewhere('needs a package; other-makers.test.ts runs it'),
    elsewhere('needs a package; other-makers.test.ts runs it, with two makers'),
  ],
  'docs/operate/page-tokens.md': logInUses.pageTokens,
  'docs/operate/production.md': [
    elsewhere('installs the package; test/release/package.test.ts does'),
    elsewhere('does not end; many-processes.test.ts starts the same programs'),
    prints({ ready: true }),
  ],
  'docs/operate/scorecard.md': [elsewhere('is the suite e2e/crash/scorecard')],
  'docs/operate/secrets.md': [
    elsewhere('writes to /etc; secrets-at-rest.test.ts serves with such a file'),
    elsewhere('is for keys that are lost; secret-vault.test.ts opens nothing without them'),
  ],
  'docs/operate/several-processes.md': [
    elsewhere('does not end; many-processes.test.ts starts the same programs'),
  ],
  'docs/operate/sizing.md': [elsewhere('takes minutes, and a quiet machine')],
  'docs/operate/tracing.md': [
    elsewhere('installs packages; traced-processes.test.ts imports the file beside the same ones'),
    elsewhere('needs a collector; traced-processes.test.ts starts the built server so'),
    elsewhere('is the tree that e2e/server/tracing.test.ts expects'),
  ],
  'docs/operate/troubleshooting.md': [elsewhere('needs the logs of a deployment')],
  'docs/operate/upgrades.md': [isMigrated, isMigrated, isMigrated, isMigrated],
  'docs/operate/versioning.md': [prints(/^\d+\.\d+\.\d+.*\n\{.*"version":"\d/)],
  'docs/wires/ag-ui.md': [runsModule('assistant\n', '\nconsole.log(agent.messages.at(-1).role);')],
  'docs/wires/ai-sdk-details.md': [
    elsewhere('is of a page; npm run types:client compiles it with each major of the package'),
    elsewhere('is of a React component; ai-sdk.test.ts leaves out what is discarded'),
  ],
  'docs/wires/ai-sdk.md': [
    elsewhere('is of a React component; ai-sdk.test.ts sends through the same transport'),
    elsewhere('is of a React component; chat-example.test.ts runs one that has it'),
    elsewhere('is of a React component; ai-sdk-history.test.ts names the turn in the same way'),
  ],
  'docs/wires/harness.md': [runsOneTurn],
  'docs/wires/mcp.md': mcpWireUses(server),
  'docs/wires/named-agents.md': [asksReader],
  'docs/wires/oracle.md': [prints('"type":"done"')],
  'docs/wires/responses-clients.md': [
    runsModule('What is here?', '\nconsole.log(text);'),
    runsModule('What is here?', '\nconsole.log(finalOutput);'),
    runsModule('What is here?', '\nconsole.log(reply.text);'),
    elsewhere('is of Codex; responses-clients.test.ts sends what it sends'),
  ],
  'docs/wires/responses.md': [
    runsModule('And what is new?'),
    async (code) => {
      const { body } = await server.client.post('/v1/responses', { input: '[[tokens=3]]' });
      page.names['resp_6b0f…'] = String(body['id']);
      return prints(
        /^retry: \d+\n\nevent: response\.[^]*"sequence_number":5[^]*data: \[DONE\]\n\n$/,
      )(code, '');
    },
  ],
};

describe('the blocks of code of the documentation', () => {
  it('each have a use here, or a reason why they are run elsewhere', () => {
    const counted = [...blocks].map(([page, found]) => [page, found.length]);
    expect(counted).toEqual(Object.entries(uses).map(([page, used]) => [page, used.length]));
  });

  it.each([...blocks.keys()].filter((page) => uses[page]?.some((use) => !('elsewhere' in use))))(
    'do what %s says',
    async (name) => {
      page.names = {};
      let output = '';
      for (const [index, use] of (uses[name] ?? []).entries()) {
        if (typeof use === 'function') output = await use(blockOf(name, index).code, output);
      }
    },
  );
});

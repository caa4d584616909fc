import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { useTokenIssuer } from '../../support/access/token-issuer.js';
import { KeyedClient } from '../../support/clients/keyed-client.js';
import { stdioServer } from '../../support/mcp/open-test-mcp.js';
import { useServer } from '../../support/processes/start-server.js';
import { startHook } from '../../support/tools/start-hook.js';
import { newFolder, useShared } from '../../support/suite.js';

/** A tool that does what its lines say. */
const toolOf = (fields: string, run: string): string =>
  `import { writeFileSync, existsSync } from 'node:fs';
  export default { description: 'A tool.', inputSchema: { type: 'object', properties: { of: { type: 'string' } } }, ${fields}
    async run({ of }, call) { ${run} } };`;

const secret = 'planted-secret-token';

describe('POST /api/admin/tools/try', () => {
  const folder = newFolder();
  const at = (name: string): string => path.join(folder, name);
  const put = (name: string, content: string | object): string => {
    writeFileSync(at(name), typeof content === 'string' ? content : JSON.stringify(content));
    return at(name);
  };
  const hook = useShared(startHook);
  const { issuer, environment } = useTokenIssuer([
    { group: 'admins', scopes: ['turns', 'admin'] },
    { group: 'staff' },
    { group: 'ops', approves: ['ops'] },
  ]);
  const server = useServer(() => {
    mkdirSync(at('tools'));
    const look =
      "call.progress('looking'); return `${of} for ${call.principal}, alone: ${!existsSync(call.workdir + '/package.json')}`;";
    put('tools/look.mjs', toolOf("effect: 'read',", look));
    put('tools/change.mjs', toolOf('', "writeFileSync(of, 'changed'); return 'changed';"));
    put('tools/allowed.mjs', toolOf('', "return 'never';"));
    put('tools/denied.mjs', toolOf("effect: 'read',", "return 'never';"));
    put('tools/asked.mjs', toolOf("effect: 'read',", "return 'asked';"));
    put('tools/quorum.mjs', toolOf("effect: 'read',", "return 'never';"));
    put('tools/fails.mjs', toolOf("effect: 'read',", "throw new Error('no disk');"));
    const box = stdioServer('plain', { env: { TOKEN: secret }, trustAnnotations: true });
    return {
      environment: {
        ...environment,
        ...hook.environment,
        TURNPIKE_PROJECT_ROOTS: newFolder(),
        TURNPIKE_TOOLS_DIR: at('tools'),
        TURNPIKE_MCP_FILE: put('mcp.json', {
          mcpServers: { box, gone: { command: '/no/such/command' } },
        }),
        TURNPIKE_PERMISSIONS_FILE: put('permissions.json', {
          allow: ['allowed'],
          deny: ['denied'],
          ask: ['asked', { rule: 'quorum', by: ['ops'] }],
        }),
      },
    };
  });
  let admin: KeyedClient;
  beforeAll(async () => {
    const token = await issuer.sign({ sub: 'root', groups: ['admins'] });
    admin = new KeyedClient(server.url, token);
  });
  beforeEach(() => hook.say({ decision: 'allow' }));

  const attempt = (tool: string, input: object = {}, more: object = {}) =>
    admin.send('POST', '/api/admin/tools/try', { tool, input, ...more });

  it('runs a tool of the operator as the caller, in a folder of its own, and audits it', async () => {
    const { status, body } = await attempt('look', { of: 'things' });
    expect([status, body]).toEqual([
      200,
      {
        tool: 'look',
        status: 'success',
        output: expect.stringMatching(/^things for .*root, alone: true$/),
        durationMs: expect.any(Number),
        progress: [{ note: 'looking', elapsedMs: expect.any(Number) }],
      },
    ]);
    const { body: audited } = await admin.send('GET', '/api/admin/audit?limit=500');
    expect(audited['entries']).toContainEqual(
      expect.objectContaining({
        action: 'tool.tried',
        subject: 'look',
        details: expect.objectContaining({ effect: 'read', confirmed: false }),
      }),
    );
    expect(JSON.stringify(audited)).not.toContain('things');
  });

  it('has what a model would read where the tool fails, or does not take the input', async () => {
    expect((await attempt('fails')).body).toMatchObject({
      status: 'error',
      output: 'fails failed: no disk',
    });
    expect((await attempt('look', { of: 7 })).body).toMatchObject({
      status: 'error',
      output: expect.stringContaining('look: input is not valid'),
    });
  });

  it('runs what does more than read where a person has confirmed it', async () => {
    const file = at('changed.txt');
    const refused = await attempt('change', { of: file });
    expect([refused.status, refused.body]).toMatchObject([
      409,
      { error: { type: 'TOOL_TRIAL_UNCONFIRMED', details: { rule: 'ask' } } },
    ]);
    expect(existsSync(file)).toBe(false);
    const done = await attempt('change', { of: file }, { confirmed: true });
    expect(done.body).toMatchObject({ status: 'success', output: 'changed' });
    expect(existsSync(file)).toBe(true);
  });

  it.each([
    ['denied', {}, 403, 'TOOL_TRIAL_DENIED', 'permission denied'],
    ['denied', { confirmed: true }, 403, 'TOOL_TRIAL_DENIED', 'permission denied'],
    ['asked', {}, 409, 'TOOL_TRIAL_UNCONFIRMED', "the server's policy asks before asked"],
    ['quorum', { confirmed: true }, 400, 'TOOL_TRIAL_UNSUPPORTED', 'quorum waits for approvers'],
    ['read', {}, 400, 'TOOL_TRIAL_UNSUPPORTED', 'read is built in'],
    ['web_search', {}, 400, 'TOOL_TRIAL_UNSUPPORTED', 'web_search runs at the provider'],
    ['lok', {}, 404, 'TOOL_NOT_FOUND', 'There is no tool lok'],
    ['mcp__gone__x', {}, 404, 'TOOL_NOT_FOUND', 'its command \\"…/command\\" was not found'],
    ['mcp__box__none', {}, 404, 'TOOL_NOT_FOUND', 'There is no tool mcp__box__none'],
    ['look', { confirm: true }, 400, 'INVALID_REQUEST', 'A trial has no field'],
    ['look', { input: 'x' }, 400, 'INVALID_REQUEST', "'input' must be an object"],
  ])('refuses by name: %s with %j', async (tool, more, status, type, message) => {
    const answer = await attempt(tool, {}, more);
    expect([answer.status, answer.body]).toMatchObject([status, { error: { type } }]);
    expect(JSON.stringify(answer.body)).toContain(message);
  });

  it('asks about a command that a rule allows, too', async () => {
    const refused = await attempt('allowed');
    expect(refused.body).toMatchObject({
      error: { type: 'TOOL_TRIAL_UNCONFIRMED', details: { rule: 'effect' } },
    });
  });

  it('runs what a rule asks about once it is confirmed', async () => {
    expect((await attempt('asked', {}, { confirmed: true })).body).toMatchObject({
      output: 'asked',
    });
  });

  it('asks the tool hook, which has the last word', async () => {
    hook.say({ decision: 'deny', reason: 'not today' });
    const denied = await attempt('look', { of: 'x' }, { confirmed: true });
    expect(denied.body).toMatchObject({
      error: { type: 'TOOL_TRIAL_DENIED', details: { rule: 'hook-denied' } },
    });
    expect(hook.about('look').at(-1)).toMatchObject({ agent: 'none', input: { of: 'x' } });
    hook.say({ decision: 'ask' });
    expect((await attempt('look')).status).toBe(409);
  });

  it('runs a tool of an MCP server, which it starts, without its secrets', async () => {
    const { body } = await attempt('mcp__box__pid');
    expect(body).toMatchObject({ status: 'success', output: expect.stringMatching(/^\d+$/) });
    const slow = await attempt('mcp__box__slow', {}, { confirmed: true });
    expect(slow.body).toMatchObject({
      output: 'done',
      progress: [{ note: 'half way (1/2)', elapsedMs: expect.any(Number) }],
    });
    const told = await attempt('mcp__box__secret', {}, { confirmed: true });
    expect(told.body).toMatchObject({ status: 'error' });
    expect(JSON.stringify(told.body)).not.toContain(secret);
    const { body: list } = await admin.send('GET', '/api/harness/tools?limit=1');
    expect(list['mcpServers']).toMatchObject([{ name: 'box', state: 'working' }, { name: 'gone' }]);
  });

  it('starts a server without a call, and says why one did not come up', async () => {
    const start = (server: string) => admin.send('POST', '/api/admin/tools/start', { server });
    const box = await start('box');
    expect([box.status, box.body]).toMatchObject([200, { name: 'box', state: 'working' }]);
    expect((await start('gone')).body).toMatchObject({
      state: 'failed',
      problems: [expect.stringContaining('its command "…/command" was not found')],
    });
    expect(await start('none')).toMatchObject({
      status: 404,
      body: { error: { type: 'TOOL_NOT_FOUND' } },
    });
  });

  it('is for the scope admin', async () => {
    const token = await issuer.sign({ sub: 'ann', groups: ['staff'] });
    const ann = new KeyedClient(server.url, token);
    const refused = await ann.send('POST', '/api/admin/tools/try', { tool: 'look', input: {} });
    expect([refused.status, refused.body]).toMatchObject([
      403,
      { error: { type: 'FORBIDDEN_SCOPE' } },
    ]);
  });
});

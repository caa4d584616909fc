import { execFileSync } from 'node:child_process';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { runCommand } from './program.js';
import { serveHttp } from '../../test/support/serve-http.js';
import { useShared } from '../../test/support/suite.js';

/** Runs a command against a server that records requests and refuses all but those that begin another. */
describe('the commands', () => {
  const requests: { call: string; body?: unknown }[] = [];
  beforeEach(async () => {
    requests.length = 0;
  });
  const server = useShared(() => serveHttp(answer));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = `${request.method} ${request.url}`;
    const hasBody = Number(request.headers['content-length'] ?? 0) > 0;
    requests.push(hasBody ? { call, body: await json(request) } : { call });
    const found = answers[call];
    response.statusCode = found === undefined ? 400 : 200;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(found ?? { error: { type: 'REFUSED', message: 'No.' } }));
  }

  const answers: Readonly<Record<string, unknown>> = {
    'POST /api/harness/session/create': { session: { sessionId: 'sess_new' } },
    'GET /api/harness/schedules/daily': { schedule: { tz: 'UTC' } },
    'GET /api/harness/tools': { tools: [{ name: 'read' }, { name: 'bash' }] },
  };

  async function run(args: readonly string[]) {
    let stdout = '';
    let stderr = '';
    const code = await runCommand(args, {
      environment: { TURNPIKE_URL: server.url, INIT_CWD: '/home/me' },
      out: (text) => void (stdout += text),
      err: (text) => void (stderr += text),
      exitCode: 0,
    });
    return { code, stdout, stderr };
  }

  /** The words of a line as a shell splits it; single quotes hold words together. */
  const words = (line: string): string[] =>
    Array.from(line.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, plain]) => quoted ?? plain ?? '');
  const definition = "--cron '0 9 * * *' --tz UTC --message Go";
  const schedule = { cron: '0 9 * * *', tz: 'UTC', message: 'Go', session: 'new' };

  const webhook = '/api/harness/webhooks/hook_1';
  const daily = '/api/harness/schedules/daily';
  const answer1 = 'POST /api/harness/approvals/appr_1';
  const awaited1 = 'POST /api/harness/awaited-approvals/appr_1';
  it.each<[line: string, call: string, body?: unknown]>([
    ['webhooks list', 'GET /api/harness/webhooks'],
    [
      "webhooks add https://example.com/ --events 'turn.ended, turn.waiting'",
      'POST /api/harness/webhooks',
      { url: 'https://example.com/', events: ['turn.ended', 'turn.waiting'] },
    ],
    [
      'webhooks add https://example.com/ --description Mails --json',
      'POST /api/harness/webhooks',
      { url: 'https://example.com/', description: 'Mails' },
    ],
    ['webhooks remove hook_1', `DELETE ${webhook}`],
    ['webhooks enable hook_1', `PATCH ${webhook}`, { enabled: true }],
    ['webhooks test hook_1', `POST ${webhook}/test`],
    ['webhooks rotate hook_1', `POST ${webhook}/rotate`, {}],
    ['webhooks rotate hook_1 --keep-old 0', `POST ${webhook}/rotate`, { keepOldHours: 0 }],
    [
      'webhooks deliveries hook_1 --status dead --limit 5',
      `GET ${webhook}/deliveries?limit=5&status=dead`,
    ],
    ['webhooks redeliver hook_1 evt_1', `POST ${webhook}/deliveries/evt_1/redeliver`],
    ['schedules list', 'GET /api/harness/schedules'],
    [`schedules put daily ${definition}`, `PUT ${daily}`, schedule],
    [`schedules create daily ${definition}`, `PUT ${daily}`, schedule],
    [
      `schedules put daily ${definition} --session sess_1 --overlap queueOne --catch-up 60000`,
      `PUT ${daily}`,
      { ...schedule, session: 'sess_1', overlap: 'queueOne', catchUpMs: 60_000 },
    ],
    [
      `schedules put daily ${definition} --agent REPORTER --project /work --opts {"maxTurns":3}`,
      `PUT ${daily}`,
      { ...schedule, agent: 'REPORTER', projectRoot: '/work', opts: { maxTurns: 3 } },
    ],
    ['schedules runs daily', `GET ${daily}/runs?limit=20`],
    ['schedules upcoming daily --limit 3', `GET ${daily}/upcoming?count=3`],
    [
      'keys create --principal me --name CI --scopes turns,admin --expires 30d --usd-per-day 1.5 --concurrent-turns 4 --project-root /srv/a --project-root /srv/b --json',
      'POST /api/admin/keys',
      {
        principal: 'me',
        name: 'CI',
        scopes: ['turns', 'admin'],
        expiresIn: '30d',
        limits: { concurrentTurns: 4, usdPerDay: 1.5 },
        projectRoots: ['/srv/a', '/srv/b'],
      },
    ],
    ['keys create --principal me', 'POST /api/admin/keys', { principal: 'me' }],
    ['keys list', 'GET /api/admin/keys'],
    [
      'keys set 0123 --usd-per-day default --tokens-per-day 9 --json',
      'PATCH /api/admin/keys/0123',
      { limits: { usdPerDay: null, tokensPerDay: 9 } },
    ],
    ['keys revoke 0123 --json', 'DELETE /api/admin/keys/0123'],
    [
      'turn Hello there --session sess_1',
      'POST /api/harness/turn',
      { sessionId: 'sess_1', message: 'Hello there' },
    ],
    [
      'turn x --mode PLAN --model m --tools read,bash --agent P --session s --json',
      'POST /api/harness/turn',
      {
        sessionId: 's',
        message: 'x',
        opts: { mode: 'PLAN', model: 'm', persona: 'P', tools: ['read', 'bash'] },
      },
    ],
    [
      "turn x --tools '' --session s",
      'POST /api/harness/turn',
      { sessionId: 's', message: 'x', opts: { tools: [] } },
    ],
    ['approve appr_1', answer1, { decision: 'approve' }],
    [
      "approve appr_1 --rule 'bash(ls *)'",
      answer1,
      { decision: 'approve-session', rule: 'bash(ls *)' },
    ],
    ['deny appr_1 not there', answer1, { decision: 'deny', message: 'not there' }],
    ['approvals --of-others', 'GET /api/harness/awaited-approvals?limit=200'],
    ['approve appr_1 --of-others', awaited1, { decision: 'approve' }],
    ['deny appr_1 not now --of-others', awaited1, { decision: 'deny', message: 'not now' }],
    [
      'feedback set turn_1 score -1',
      'PUT /api/harness/turns/turn_1/feedback',
      { key: 'score', value: -1 },
    ],
  ])('send what they are given: %s', async (line, call, ...[body]) => {
    const { code } = await run(words(line));
    expect(code).toBe(1);
    expect(requests.at(-1)).toMatchObject(body === undefined ? { call } : { call, body });
  });

  it.each<{ args: string[]; says: string }>([
    { args: ['webhooks', 'add'], says: 'URL is missing.' },
    { args: ['webhooks', 'list', 'hook_1'], says: 'hook_1 is one argument too many.' },
    { args: ['webhooks', 'remove'], says: 'ID is missing.' },
    { args: ['webhooks', 'remove', 'hook_1', 'hook_2'], says: 'one argument too many.' },
    { args: ['webhooks', 'redeliver', 'hook_1'], says: 'DELIVERY is missing.' },
    { args: ['webhooks', 'redeliver', 'hook_1', 'evt_1', 'evt_2'], says: 'too many.' },
    { args: ['webhooks', 'forget', 'hook_1'], says: 'There is no command forget.' },
    { args: ['webhooks', 'ad', 'hook_1'], says: 'Did you mean add?' },
    { args: ['webhooks', 'list', '--status', 'dead'], says: 'There is no option --status.' },
    { args: ['webhooks', 'remove', 'h', '--events', 'x'], says: 'There is no option --events.' },
    { args: ['webhooks', 'rotate', 'h', '--keep-old', 'soon'], says: 'a whole number, not soon' },
    { args: ['webhooks', 'deliveries', 'h', '--limit', '-1'], says: 'a whole number from 1' },
    { args: ['webhooks', 'deliveries', 'h', '--status', 'x'], says: 'pending, delivered, dead.' },
    { args: ['schedules', 'list', 'daily'], says: 'too many.' },
    { args: ['schedules', 'show'], says: 'KEY is missing.' },
    { args: ['schedules', 'start', 'daily'], says: 'There is no command start.' },
    { args: ['schedules', 'put', 'daily', '--cron', '0 9 * * *'], says: 'needs the option --tz' },
    { args: ['schedules', 'put', 'daily', ...definition, '--opts', '[1]'], says: 'an object' },
    { args: ['schedules', 'put', 'daily', ...definition, '--opts', '{'], says: 'an object' },
    { args: ['schedules', 'put', 'daily', ...definition, '--catch-up', 'soon'], says: 'not soon' },
    { args: ['schedules', 'pause', 'daily', '--cron', 'x'], says: 'There is no option --cron.' },
    { args: ['schedules', 'pause', 'daily', '--limit', '3'], says: 'There is no option --limit.' },
    { args: ['keys', 'create'], says: 'needs the option --principal <NAME>' },
    { args: ['keys', 'create', 'me', '--principal', 'me'], says: 'me is one argument too many.' },
    { args: ['keys', 'create', '--principal', 'me', '--usd-per-day', 'x'], says: 'is a number' },
    {
      args: ['keys', 'create', '--principal', 'm', '--scope', 'x'],
      says: 'Did you mean --scopes?',
    },
    { args: ['keys', 'list', 'all'], says: 'too many.' },
    { args: ['keys', 'revoke'], says: 'ID is missing.' },
    { args: ['keys', 'delete', 'a'], says: 'There is no command delete.' },
    { args: ['memory', 'show', 'helper'], says: 'PATH is missing.' },
    { args: ['skills', '--agent', 'a', '--session', 's'], says: 'cannot be used with' },
    { args: ['sessions', '--limit', '0'], says: 'a whole number from 1, not 0' },
    { args: ['turn', ' '], says: 'Say what the turn is about' },
    { args: ['turn', 'x', '--nope'], says: 'There is no option --nope.' },
    { args: ['turn', 'x', '--atach', 'y'], says: 'Did you mean --attach?' },
    { args: ['turn', 'x', '--attach'], says: 'The option --attach needs a value.' },
    { args: ['turn', 'x', '--json=1'], says: 'There is no option --json=1.' },
    { args: ['turn', 'x', '--attach', 'nope'], says: '/home/me/nope: there is no such file.' },
    { args: ['replay', 't', '--tools', 'live'], says: 'recorded, none.' },
    { args: ['fly'], says: 'There is no command fly. turnpike --help lists the commands.' },
  ])('refuse what they do not take, before they ask a server: $args', async ({ args, says }) => {
    expect(await run(args)).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(says) });
    expect(requests).toEqual([]);
  });

  it('show their subcommands where one is missing', async () => {
    const { code, stderr } = await run(['webhooks']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('redeliver [options] <ID>')]);
  });

  it('show help as an answer', async () => {
    const { code, stdout } = await run(['schedules', 'put', '--help']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('--catch-up <MS>')]);
  });

  it.each(['bash', 'zsh', 'fish'])('are completed in %s', async (shell) => {
    const { code, stdout } = await run(['completion', shell]);
    expect(code).toBe(0);
    for (const word of ['webhooks', 'redeliver', 'catch-up', 'queueOne'])
      expect(stdout).toContain(word);
  });

  it('are completed by bash where they are typed', async () => {
    const { stdout: script } = await run(['completion', 'bash']);
    const complete = (...words: string[]): string => {
      const typed = words.map((word) => `'${word}'`).join(' ');
      const call = `COMP_WORDS=(turnpike ${typed}); COMP_CWORD=${words.length}; _turnpike; echo "\${COMPREPLY[*]}"`;
      return execFileSync('bash', ['-c', `${script}\n${call}`], { encoding: 'utf8' }).trim();
    };
    expect(complete('we')).toBe('webhooks');
    expect(complete('webhooks', 'r')).toBe('remove rotate redeliver');
    expect(complete('webhooks', 'add', '--e')).toBe('--events');
    expect(complete('turn', 'chat', '--re')).toBe('--replaces');
    expect(complete('turn', '--mode', 'p')).toBe('plan');
    expect(complete('schedules', 'put', 'daily', '--overlap', '')).toBe('skip queueOne allow');
    // Nothing of ours: the shell offers files.
    expect(complete('turn', '--attach', '')).toBe('');
  });
});

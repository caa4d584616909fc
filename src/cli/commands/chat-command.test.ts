import { describe, expect, it } from '@jest/globals';
import { eventStream } from '../../../test/client/fake-server.js';
import { TurnpikeClient } from '../../client/turnpike-client.js';
import { painter } from '../terminal/screen.js';
import { parseChatLine, type ChatLine, runChat } from './chat-command.js';

describe('parseChatLine', () => {
  it.each<[string, ChatLine]>([
    ['Hello there', { type: 'message', text: 'Hello there' }],
    ['  padded  ', { type: 'message', text: 'padded' }],
    ['//etc/hosts is what?', { type: 'message', text: '/etc/hosts is what?' }],
    ['/etc/hosts is what?', { type: 'message', text: '/etc/hosts is what?' }],
    ['/a.ts:3\nfails', { type: 'message', text: '/a.ts:3\nfails' }],
    ['/', { type: 'message', text: '/' }],
    ['', { type: 'nothing' }],
    ['   ', { type: 'nothing' }],
    ['/help', { type: 'help' }],
    ['/new', { type: 'new' }],
    ['/quit', { type: 'quit' }],
    ['/exit', { type: 'quit' }],
    ['/sessions', { type: 'sessions', sessionId: undefined }],
    ['/sessions  sess_1 more', { type: 'sessions', sessionId: 'sess_1' }],
    ['/model', { type: 'model', name: undefined }],
    ['/model claude-x', { type: 'model', name: 'claude-x' }],
    ['/fly now', { type: 'prompt', command: '/fly' }],
  ])('reads %j', (line, read) => {
    expect(parseChatLine(line)).toEqual(read);
  });
});

const asked = (approvalId: string): string =>
  JSON.stringify({
    approvalId,
    toolUseId: approvalId,
    name: 'bash',
    input: {},
    kind: 'tool',
    reason: 'asks',
    expiresAt: '2026-01-01T00:00:00.000Z',
    onTimeout: 'deny',
  });

const frames: [string, string][] = [
  ['approval:request', asked('appr_1')],
  ['approval:request', asked('appr_2')],
  ['turn:parked', '{"approvalIds":["appr_1","appr_2"]}'],
  ['process:exit', '{"exitCode":130}'],
];

const stream = frames
  .map(([event, data], index) => `event: ${event}\nid: turn_1:1.${index + 1}\ndata: ${data}\n\n`)
  .join('');

describe('a chat', () => {
  it('asks no more of a turn once a Ctrl-C has ended it', async () => {
    const posted: string[] = [];
    const client = new TurnpikeClient({
      url: 'http://turnpike.test',
      fetch: async (input, init) => {
        const { pathname } = new URL(new Request(input).url);
        if (init?.method === 'POST') posted.push(pathname);
        if (pathname === '/api/harness/turn') {
          return eventStream(stream, { 'x-turn-id': 'turn_1' });
        }
        return Response.json({ session: { sessionId: 'sess_1' }, state: 'cancelling' });
      },
    });
    const lines = ['hello', undefined];
    let questions = 0;
    const input = {
      isTerminal: true,
      line: async () => lines.shift(),
      key: async () => {
        questions += 1;
        return undefined;
      },
      close: () => undefined,
    };
    const screen = {
      json: false,
      paint: painter(false),
      isLive: false,
      holdsSteps: false,
      columns: 80,
      out: () => undefined,
      err: () => undefined,
    };
    const onInterrupt = () => () => undefined;
    const deps = { client, input, screen, environment: {}, folder: '/', onInterrupt };
    await runChat(deps, { sessionId: undefined, agent: undefined });
    expect(questions).toBe(1);
    expect(posted).toEqual([
      '/api/harness/session/create',
      '/api/harness/turn',
      '/api/harness/turns/turn_1/interrupt',
    ]);
  });

  const prompt = (name: string, names: string[] = []) => ({
    server: 'box',
    name,
    title: null,
    description: null,
    arguments: names.map((argument) => ({ name: argument, description: null, required: true })),
  });

  /** Sends lines to a server with prompts. @returns its requests, the bodies of turns, and what was shown. */
  async function chatWith(prompts: object[], lines: (string | undefined)[], sessionId?: string) {
    const requests: string[] = [];
    const bodies: unknown[] = [];
    const client = new TurnpikeClient({
      url: 'http://turnpike.test',
      fetch: async (url, init) => {
        const { pathname } = new URL(new Request(url).url);
        requests.push(`${init?.method ?? 'GET'} ${pathname}`);
        if (pathname.endsWith('/prompts')) return Response.json({ prompts, problems: [] });
        if (pathname !== '/api/harness/turn') {
          return Response.json({ session: { sessionId: 'sess_1' } });
        }
        if (typeof init?.body === 'string') bodies.push(JSON.parse(init.body));
        const end = 'event: process:exit\nid: turn_1:1.1\ndata: {"exitCode":0}\n\n';
        return eventStream(end, { 'x-turn-id': 'turn_1' });
      },
    });
    const shown: string[] = [];
    const input = {
      isTerminal: false,
      line: async (text: string) => (shown.push(text), lines.shift()),
      key: async () => undefined,
      close: () => undefined,
    };
    const err = (text: string) => void shown.push(text);
    const screen = {
      json: false,
      paint: painter(false),
      isLive: false,
      holdsSteps: false,
      columns: 80,
      out: err,
      err,
    };
    const onInterrupt = () => () => undefined;
    const deps = { client, input, screen, environment: {}, folder: '/', onInterrupt };
    const code = await runChat(deps, { sessionId, agent: undefined });
    return { code, requests, bodies, shown: shown.join('') };
  }

  it('sends a prompt of an MCP server with what it needs, and shows no control character of one', async () => {
    const prompts = [prompt('greet', ['who\u001b[2J']), prompt('\u001b]0;evil\u0007x')];
    const lines = ['/fly', '/greet', 'Ann', undefined];
    const { bodies, shown } = await chatWith(prompts, lines, 'sess_1');
    expect(bodies).toMatchObject([
      {
        message: '/greet',
        opts: { prompt: { server: 'box', name: 'greet', arguments: { 'who\u001b[2J': 'Ann' } } },
      },
    ]);
    expect(shown).toContain('Prompts of MCP servers: /greet, /');
    // oxlint-disable-next-line no-control-regex
    expect(shown).not.toMatch(/[\u0007\u001b]/);
  });

  const asks = ['POST /api/harness/session/create', 'GET /api/harness/sessions/sess_1/prompts'];
  const leaves = 'DELETE /api/harness/session/sess_1';

  it('leaves no session behind where the first command is unknown, and says which there are', async () => {
    const { code, requests, shown } = await chatWith([prompt('greet')], ['/fly', undefined]);
    expect([code, requests]).toEqual([1, [...asks, leaves]]);
    expect(shown).toContain('There is no /fly; nothing was sent.\nPrompts of MCP servers: /greet');
    expect(shown).toContain('/sessions [ID]');
    expect(shown).not.toContain('session sess_1');
  });

  it('leaves no session behind where the input ends before what a prompt needs', async () => {
    const { requests } = await chatWith([prompt('greet', ['who'])], ['/greet', undefined]);
    expect(requests).toEqual([...asks, leaves]);
  });

  it('goes on with the session that a prompt began', async () => {
    const { requests, shown } = await chatWith([prompt('greet')], ['/greet', 'Hello', undefined]);
    const turn = 'POST /api/harness/turn';
    expect(requests).toEqual([...asks, turn, turn]);
    expect(shown).toContain('session sess_1');
  });
});

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
      columns: 80,
      out: () => undefined,
      err: () => undefined,
    };
    const onInterrupt = () => () => undefined;
    const deps = { client, input, screen, environment: {}, projectRoot: '/', onInterrupt };
    await runChat(deps, { sessionId: undefined, agent: undefined });
    expect(questions).toBe(1);
    expect(posted).toEqual([
      '/api/harness/session/create',
      '/api/harness/turn',
      '/api/harness/turns/turn_1/interrupt',
    ]);
  });

  it('sends a prompt of an MCP server with what it needs, and shows no control character of one', async () => {
    const bodies: string[] = [];
    const who = { name: 'who\u001b[2J', description: null, required: true };
    const prompts = [
      { server: 'box', name: 'greet', title: null, description: null, arguments: [who] },
      {
        server: 'box',
        name: '\u001b]0;evil\u0007x',
        title: null,
        description: null,
        arguments: [],
      },
    ];
    const client = new TurnpikeClient({
      url: 'http://turnpike.test',
      fetch: async (url, init) => {
        const { pathname } = new URL(new Request(url).url);
        if (pathname.endsWith('/prompts')) return Response.json({ prompts, problems: [] });
        if (pathname !== '/api/harness/turn') {
          return Response.json({ session: { sessionId: 'sess_1' } });
        }
        if (typeof init?.body === 'string') bodies.push(init.body);
        const end = 'event: process:exit\nid: turn_1:1.1\ndata: {"exitCode":0}\n\n';
        return eventStream(end, { 'x-turn-id': 'turn_1' });
      },
    });
    const lines = ['/fly', '/greet', 'Ann', undefined];
    const shown: string[] = [];
    const input = {
      isTerminal: true,
      line: async (prompt: string) => (shown.push(prompt), lines.shift()),
      key: async () => undefined,
      close: () => undefined,
    };
    const err = (text: string) => void shown.push(text);
    const screen = {
      json: false,
      paint: painter(false),
      isLive: false,
      columns: 80,
      out: err,
      err,
    };
    const onInterrupt = () => () => undefined;
    const deps = { client, input, screen, environment: {}, projectRoot: '/', onInterrupt };
    await runChat(deps, { sessionId: 'sess_1', agent: undefined });
    expect(JSON.parse(bodies[0] ?? '')).toMatchObject({
      message: '/greet',
      opts: { prompt: { server: 'box', name: 'greet', arguments: { [who.name]: 'Ann' } } },
    });
    expect(bodies).toHaveLength(1);
    expect(shown.join('')).toContain('Prompts of MCP servers: /greet, /');
    // oxlint-disable-next-line no-control-regex
    expect(shown.join('')).not.toMatch(/[\u0007\u001b]/);
  });
});

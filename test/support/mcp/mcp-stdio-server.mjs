/**
 * An MCP server as a process, with faults on demand. `node mcp-stdio-server.mjs [mode]`: `silent`
 * answers nothing, `ends` ends at once, `lacks a file` ends with an error while there is no file `$NEEDS`, `odd` lists tools that cannot be offered, `many` lists more
 * than a turn takes, `exits on a probe` knows no question before `initialize`, `twice` lists tools of equal names, `circle` has pages without an end, `odd answers` breaks
 * the protocol.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const mode = process.argv[2] ?? 'plain';
const text = (value) => ({ content: [{ type: 'text', text: value }] });

const calls = {
  echo: ({ text: said }, { _meta }) => text(`${said}${_meta?.['turnpike/idempotencyKey'] ?? ''}`),
  pid: () => text(String(process.pid)),
  env: () => text(JSON.stringify(process.env)),
  hang: () => new Promise(() => undefined),
  die: () => process.exit(1),
  // A child that outlives its parent unless the whole group is killed.
  child: () => text(String(spawn('sleep', ['600'], { stdio: 'ignore' }).pid)),
  garbage: () => {
    process.stdout.write('not a message\n{"neither": "this"}\n');
    return text('after the garbage');
  },
  flood: () => {
    const piece = 'x'.repeat(1_048_576);
    for (let i = 0; i < 100; i += 1) process.stdout.write(piece);
    return new Promise(() => undefined);
  },
  fails: () => ({ ...text('the disk is full'), isError: true }),
  refuses: () => {
    throw new Error('no such thing');
  },
  image: () => ({
    content: [
      { type: 'text', text: 'seen' },
      { type: 'image', mimeType: 'image/png', data: Buffer.alloc(300).toString('base64') },
    ],
  }),
  structured: () => ({ content: [], structuredContent: { answer: 42 } }),
  slow: async (_input, extra) => {
    const progressToken = extra._meta?.progressToken;
    await extra.sendNotification({
      method: 'notifications/progress',
      params: { progressToken, progress: 1, total: 2, message: 'half way' },
    });
    await wait(100);
    return text('done');
  },
  // An effect that a test can see; offered where the variable is set.
  ...(process.env.NOTES && {
    note: ({ text: line }) => {
      appendFileSync(process.env.NOTES, `${line}\n`);
      return text('noted');
    },
  }),
  // Answers that break the protocol, after which no other comes.
  ...(mode === 'odd answers' && {
    'odd-error': (_input, { requestId: id }) => {
      const error = { code: 'E_FULL', message: 'the disk is full' };
      process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`);
      return new Promise(() => undefined);
    },
    'odd-result': (_input, { requestId: id }) => {
      process.stdout.write(`${JSON.stringify({ id, result: 'fine' })}\n`);
      return new Promise(() => undefined);
    },
  }),
  secret: () => ({ ...text(`the token is ${process.env.TOKEN}`), isError: true }),
};

const open = { type: 'object', properties: {} };
const hints = {
  echo: { idempotentHint: true },
  pid: { readOnlyHint: true },
};

function listTools() {
  const plain = Object.keys(calls).map((name) => ({
    name,
    description: `does ${name}`,
    inputSchema:
      name === 'echo'
        ? { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
        : open,
    annotations: hints[name],
  }));
  if (mode === 'many') {
    return Array.from({ length: 250 }, (_, i) => ({ name: `tool${i}`, inputSchema: open }));
  }
  if (mode === 'twice') return listTwice();
  if (mode !== 'odd') return plain;
  return [
    { name: 'fine', inputSchema: open },
    { name: 'a name with spaces', inputSchema: open },
    { name: 'broken', inputSchema: { type: 'object', properties: { a: { type: 'nothing' } } } },
    { name: 'large', inputSchema: { type: 'object', description: 'x'.repeat(70_000) } },
  ];
}

/** Two tools have the same name, and a third has the name that one of them is given. */
function listTwice() {
  const name = 'a b';
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return [
    { name: 'echo', description: 'the first', inputSchema: open },
    { name: 'echo', description: 'the second', inputSchema: open },
    { name, description: 'the first', inputSchema: open },
    { name: `a_b_${hash}`, description: 'the second', inputSchema: open },
  ];
}

if (mode === 'ends') process.exit(3);
if (mode === 'lacks a file' && !existsSync(process.env.NEEDS)) {
  process.stderr.write(`starting with ${process.env.TOKEN}\n`);
  throw new Error(`no settings in ${process.env.NEEDS}`);
}
if (mode === 'exits on a probe') {
  process.stdin.on('data', (bytes) => {
    if (bytes.toString().includes('server/discover')) process.exit(1);
  });
}
process.stderr.write(`started with ${process.env.TOKEN ?? 'no token'}\n`);
if (mode === 'silent') process.stdin.resume();
else {
  const server = new Server({ name: 'test', version: '1' }, { capabilities: { tools: {} } });
  const pages = listTools();
  let asked = 0;
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    asked += 1;
    if (mode === 'circle') {
      const description = asked > 3 ? 'asked too often' : undefined;
      return { tools: [{ name: 'one', description, inputSchema: open }], nextCursor: 'next' };
    }
    const from = Number(params?.cursor ?? 0);
    const next = from + 7;
    return {
      tools: pages.slice(from, next),
      ...(next < pages.length && { nextCursor: `${next}` }),
    };
  });
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => {
    const call = calls[params.name];
    return call(params.arguments ?? {}, { ...extra, _meta: params._meta });
  });
  await server.connect(new StdioServerTransport());
}

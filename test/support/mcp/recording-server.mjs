/**
 * An MCP server as a process that answers no call. `node recording-server.mjs FILE [stays]`: it notes its id and what it
 * is sent, and with `stays` does not end with its input.
 */
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const file = process.argv[2] ?? '';
const note = (line) => appendFileSync(file, `${line}\n`);
note(`{"pid":${process.pid}}`);

if (process.argv[3] === 'stays') setInterval(() => undefined, 3_600_000);

const results = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'recording', version: '1' },
  },
  'tools/list': { tools: [{ name: 'hang', inputSchema: { type: 'object' } }] },
};

for await (const line of createInterface({ input: process.stdin })) {
  note(line);
  const { id, method } = JSON.parse(line);
  const result = results[method];
  const error = { code: -32_601, message: 'Method not found' };
  const answer = result === undefined ? { error } : { result };
  if (id !== undefined && method !== 'tools/call') {
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
  }
}

import { testTurn } from '../tools/test-turn.js';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock, type Clock } from '../../../src/platform/clock.js';
import type { Logger } from '../../../src/platform/logger.js';
import { silentLogger } from '../silent-logger.js';
import {
  openMcp,
  type Mcp,
  type McpBounds,
  type McpConfig,
  type OpenMcpOptions,
  type OpenedServers,
} from '../../../src/tools/mcp/mcp.js';
import { outputText } from '../../../src/platform/parsing/tool-output.js';
import type { ToolSpec } from '../../../src/storage/shapes/stored-options.js';
import type { CallAnswer } from '../../../src/tools/tool.js';
import { newFolder } from '../suite.js';

const server = fileURLToPath(new URL('mcp-stdio-server.mjs', import.meta.url));

/** A definition of the test server as a command. */
export function stdioServer(mode = 'plain', rest: object = {}): Record<string, unknown> {
  return { command: process.execPath, args: [server, mode], ...rest };
}

export interface TestMcpOptions {
  /** Servers of the operator's file. */
  servers?: Record<string, unknown>;
  settings?: Partial<McpConfig>;
  bounds?: Partial<McpBounds>;
  environment?: Record<string, string | undefined>;
  clock?: Clock;
  logger?: Logger;
  oauth?: OpenMcpOptions['oauth'];
}

export async function openTestMcp(options: TestMcpOptions = {}): Promise<Mcp> {
  const folder = newFolder();
  const mcpFile = path.join(folder, 'mcp.json');
  await writeFile(mcpFile, JSON.stringify({ mcpServers: options.servers ?? {} }));
  return openMcp({
    config: {
      mcpFile,
      mcpHosts: [],
      mcpSessionStdio: false,
      mcpConnectMs: 10_000,
      mcpWaitMs: 60_000,
      mcpPrivateHosts: [],
      ...options.settings,
    },
    environment: options.environment ?? { PATH: process.env['PATH'] },
    clock: options.clock ?? systemClock,
    logger: options.logger ?? silentLogger,
    ...(options.oauth && { oauth: options.oauth }),
    bounds: { progressMs: 60_000, connections: 10, ...options.bounds },
  });
}

/** Opens the servers of one turn. */
export function turnOf(
  mcp: Mcp,
  given: {
    id?: string;
    mcpServers?: Record<string, unknown>;
    signal?: AbortSignal;
    principalId?: string;
    listed?: readonly ToolSpec[];
    asks?: boolean;
  } = {},
): Promise<OpenedServers> {
  const {
    id = 'sess_1',
    mcpServers = null,
    signal = new AbortController().signal,
    ...rest
  } = given;
  return mcp.openForTurn({ session: { id, mcpServers }, signal, ...rest });
}

export interface CallRest {
  signal?: AbortSignal;
  progress?: (note: string) => void;
  answers?: readonly CallAnswer[];
}

/** Calls one tool, as a turn does after the input check. */
export async function callMcp(
  opened: OpenedServers,
  name: string,
  ...[input = {}, rest = {}]: [Record<string, string>?, CallRest?]
): Promise<string> {
  const tool = opened.tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`There is no ${name}`);
  return outputText(
    await tool.open({ turn: testTurn, workdir: '/' }).run(input, {
      callId: 'call_1',
      idempotencyKey: 'turn_1:call_1',
      signal: rest.signal ?? new AbortController().signal,
      progress: rest.progress ?? (() => undefined),
      ...(rest.answers && { answers: rest.answers }),
    }),
  );
}

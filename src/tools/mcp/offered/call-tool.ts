import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { McpError, type Progress } from '@modelcontextprotocol/sdk/types.js';
import { outputText, type ToolOutput } from '../../../parsing/tool-output.js';
import { compact } from '../../../platform/compact.js';
import type { JsonObject } from '../../../platform/json.js';
import { ToolFailure } from '../../tool-failure.js';
import type { RetryClass, ToolCall } from '../../tool.js';
import type { LiveServer, McpConnection } from '../servers/connection.js';
import {
  describeFault,
  isConnectionLost,
  isSessionDoubtful,
  mayCallAgain,
  McpFault,
} from './describe-fault.js';
import { resultBlocks } from './result-blocks.js';
import { sendRequest } from '../transport/send-request.js';

export interface WantedCall {
  /** The server's own name of the tool. */
  tool: string;
  retry: RetryClass;
  input: JsonObject;
  call: ToolCall;
}

/**
 * Calls a server's tool. The only time limit is `call.signal`: its abort ends the call at once and
 * cancels it on the server.
 *
 * @throws ToolFailure when the server is unavailable, ends, or reports a failure; the signal's reason
 * when it aborts.
 */
export async function callTool(connection: McpConnection, wanted: WantedCall): Promise<ToolOutput> {
  const { call, retry } = wanted;
  for (let isFirst = true; ; isFirst = false) {
    const { client } = await readyFor(connection, call.signal);
    try {
      return await callOnce(connection, client, wanted);
    } catch (error) {
      call.signal.throwIfAborted();
      if (isSessionDoubtful(error)) connection.retire(client);
      if (!isFirst || !mayCallAgain(error, retry)) throw failureOf(connection, client, error);
    }
  }
}

async function callOnce(
  connection: McpConnection,
  client: Client,
  { tool, retry, input, call }: WantedCall,
): Promise<ToolOutput> {
  const key =
    retry === 'idempotent' ? { 'turnpike/idempotencyKey': call.idempotencyKey } : undefined;
  const params = compact({ name: tool, arguments: input, _meta: key });
  const result = await connection.use(client, () =>
    sendRequest(
      client,
      { method: 'tools/call', params },
      {
        signal: call.signal,
        onprogress: (progress) => call.progress(connection.redact(progressNote(progress))),
      },
    ),
  );
  connection.worked();
  const blocks = resultBlocks(result).map((block) =>
    block.type === 'text' ? { ...block, text: connection.redact(block.text) } : block,
  );
  const text = outputText(blocks);
  const hasFiles = blocks.some(({ type }) => type === 'file');
  if (result['isError'] !== true) return hasFiles ? blocks : text;
  const said = text === '' ? 'the server says that the call failed' : text;
  throw new ToolFailure(said, hasFiles ? { blocks } : {});
}

async function readyFor(connection: McpConnection, signal: AbortSignal): Promise<LiveServer> {
  try {
    return await connection.ready(signal);
  } catch (error) {
    signal.throwIfAborted();
    throw failureOf(connection, undefined, error);
  }
}

function failureOf(
  connection: McpConnection,
  client: Client | undefined,
  error: unknown,
): ToolFailure {
  if (error instanceof ToolFailure) return error;
  const who = `The MCP server ${connection.server}`;
  if (client === undefined || error instanceof McpFault) {
    return new ToolFailure(`${who} is not there: ${connection.redact(describeFault(error))}`);
  }
  if (error instanceof McpError && !isConnectionLost(error)) {
    return new ToolFailure(`${who} refused the call: ${connection.redact(describeFault(error))}`);
  }
  const next = connection.isUp(client) ? '' : ' The next call starts it again.';
  return new ToolFailure(
    `${who} failed: ${connection.redact(describeFault(connection.causeOf(client, error)))}. The call may have done part of its work.${next}`,
  );
}

function progressNote({ message, progress, total }: Progress): string {
  const count = total === undefined ? String(progress) : `${progress}/${total}`;
  return message === undefined ? count : `${message.slice(0, 200)} (${count})`;
}

import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Body, Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Request as ExpressRequest, Response as ExpressResponse } from 'express';
import {
  Caller,
  callerLogger,
  NoNewSessionForPages,
  type Principal,
  Unowned,
} from '../../access/face.js';
import { invalidRequest } from '../../errors/typed-error.js';
import { ApiErrors, OpenReaders } from '../../http/face.js';
import { isPlainObject, type Logger, LOGGER, packageVersion } from '../../platform/face.js';
import { AgentToolCalls } from './agent-tool-calls.js';
import { waitingTools } from './agent-tools.js';
import { serveAgentTools } from './serve-agent-tools.js';

const message = { schema: { type: 'object' }, description: 'A message of JSON-RPC 2.0' } as const;

/** The caller's agents as an MCP server, in both eras of the protocol. */
@ApiTags('mcp')
@Controller('mcp')
export class McpController {
  constructor(
    private readonly calls: AgentToolCalls,
    private readonly readers: OpenReaders,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** MCP without sessions: tools that start, read, answer and cancel turns of your agents */
  @Post()
  @HttpCode(200)
  @Unowned('its calls look among the caller’s own')
  @NoNewSessionForPages()
  @ApiBody(message)
  @ApiOkResponse(message)
  @ApiErrors('INVALID_REQUEST', 'TOO_MANY_READERS')
  async postMcp(
    @Body() body: unknown,
    @Caller() principal: Principal,
    @Req() request: ExpressRequest,
    @Res() response: ExpressResponse,
  ): Promise<void> {
    // The limits count requests, so a request has one call. The protocol has had no lists since 2025-06-18.
    if (Array.isArray(body)) {
      throw invalidRequest('POST /mcp takes one message: send each message of the list by itself');
    }
    if (waits(body)) this.readers.open(response);
    const { calls } = this;
    const logger = callerLogger(this.logger, principal);
    const onFailure = (error: unknown, tool: string): void =>
      logger.error({ error, tool }, 'a call of an agent over MCP failed; its turn goes on');
    const handler = createMcpHandler(
      () => serveAgentTools({ version: packageVersion, calls, principal, onFailure }),
      { legacy: 'stateless', maxSubscriptions: 0 },
    );
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    try {
      const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
        typeof value === 'string' && name !== 'accept' ? [[name, value]] : [],
      );
      // What a client takes is known from the protocol; curl sends no such header.
      headers.push(['accept', 'application/json, text/event-stream']);
      const url = new URL(request.originalUrl, 'http://localhost');
      const asked = new Request(url, { method: 'POST', headers, signal: gone.signal });
      await send(await handler.fetch(asked, { parsedBody: body }), response);
    } finally {
      await handler.close();
    }
  }
}

/** Whether a message is a call that waits for its turn, as the reader of a stream does. Others pass at any limit. */
function waits(message: unknown): boolean {
  if (!isPlainObject(message) || message['method'] !== 'tools/call') return false;
  const { params } = message;
  if (!isPlainObject(params) || !waitingTools.some((name) => name === params['name'])) return false;
  return !isPlainObject(params['arguments']) || params['arguments']['waitSeconds'] !== 0;
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body === null) response.end();
  else await pipeline(Readable.fromWeb(answer.body), response);
}

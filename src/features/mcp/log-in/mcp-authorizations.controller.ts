import { Body, Controller, Delete, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import {
  Caller,
  NeedsScope,
  NeverForPages,
  Owned,
  type Principal,
  readCookie,
  setCookie,
  Unowned,
} from '../../../access/face.js';
import { ApiErrors, ApprovalIdDto, McpLoginIdDto } from '../../../http/face.js';
import { McpRedirects } from '../../../tools/face.js';
import { McpAuthorizations, type Beginning, type BegunMcpLogin } from './mcp-authorizations.js';
import {
  AuthorizeDto,
  BeginMcpLoginDto,
  BegunMcpLoginDto,
  EndedMcpLoginDto,
  FinishedMcpLoginDto,
  McpCallbackDto,
  McpLoginListDto,
} from './mcp-authorizations.dto.js';

/** Life of the cookie of a browser that begins log-ins, in seconds. */
const COOKIE_S = 3_600;

@ApiTags('mcp-logins')
@Controller('api/harness')
export class McpAuthorizationsController {
  constructor(
    private readonly authorizations: McpAuthorizations,
    private readonly redirects: McpRedirects,
  ) {}

  /** Begin the log-in that an approval of kind `mcp-authorize` asks for */
  @Post('approvals/:id/authorize')
  @NeedsScope('approvals')
  @HttpCode(200)
  @Owned({ approval: 'params.id' })
  @ApiErrors(
    'INVALID_REQUEST',
    'APPROVAL_NOT_FOUND',
    'APPROVAL_RESOLVED',
    'MCP_LOGIN_REFUSED',
    'MCP_LOGIN_UNAVAILABLE',
  )
  async authorizeApproval(
    @Param() { id }: ApprovalIdDto,
    @Caller() caller: Principal,
    @Body() { redirect }: AuthorizeDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<BegunMcpLoginDto> {
    const beginning = this.#beginningOf(request, redirect);
    return answer(await this.authorizations.beginFor(caller, id, beginning), request, response);
  }

  /** Your log-ins at MCP servers, and the servers that take some */
  @Get('mcp/logins')
  @NeverForPages()
  @Unowned('it lists the caller’s own')
  listMcpLogins(@Caller() caller: Principal): Promise<McpLoginListDto> {
    return this.authorizations.list(caller);
  }

  /** Begin a log-in at an MCP server before a turn asks for it */
  @Post('mcp/logins')
  @NeverForPages()
  @HttpCode(200)
  @Unowned('what it begins is the caller’s')
  @ApiErrors('INVALID_REQUEST', 'MCP_LOGIN_REFUSED', 'MCP_LOGIN_UNAVAILABLE')
  async beginMcpLogin(
    @Caller() caller: Principal,
    @Body() { server, agent, redirect }: BeginMcpLoginDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<BegunMcpLoginDto> {
    const beginning = this.#beginningOf(request, redirect);
    const begun = await this.authorizations.begin(caller, { server, agent }, beginning);
    return answer(begun, request, response);
  }

  /** Bring the answer of an authorization server that came to your application */
  @Post('mcp/logins/callback')
  @HttpCode(200)
  @NeverForPages()
  @Unowned('the log-in must be one that the caller began')
  @ApiErrors('INVALID_REQUEST', 'MCP_LOGIN_REFUSED', 'MCP_LOGIN_UNAVAILABLE')
  finishMcpLogin(
    @Caller() { id: principalId }: Principal,
    @Body() { query }: McpCallbackDto,
  ): Promise<FinishedMcpLoginDto> {
    return this.authorizations.finish(new URLSearchParams(query), { principalId });
  }

  /** End a log-in at an MCP server, here and at its authorization server */
  @Delete('mcp/logins/:id')
  @NeverForPages()
  @Owned({ mcpLogin: 'params.id' })
  @ApiErrors('MCP_LOGIN_NOT_FOUND')
  endMcpLogin(
    @Param() { id }: McpLoginIdDto,
    @Caller() caller: Principal,
  ): Promise<EndedMcpLoginDto> {
    return this.authorizations.end(caller, id);
  }

  /** @param redirect of an application; undefined: the server's own page. @throws TypedError MCP_LOGIN_REFUSED 400. */
  #beginningOf({ headers }: Request, redirect: string | undefined): Beginning {
    const { host = '', cookie: sent } = headers;
    if (redirect !== undefined) return { redirect: this.redirects.given(redirect, host) };
    const browser = { cookie: readCookie('mcp', { host, sent }) };
    return { redirect: this.redirects.own(host), browser };
  }
}

/** Only the browser that has the cookie finishes the log-in on the server's own page. */
function answer(
  { begun, cookie }: BegunMcpLogin,
  { headers: { host = '' } }: Request,
  response: Response,
): BegunMcpLoginDto {
  response.set('Cache-Control', 'no-store');
  if (cookie !== undefined) {
    response.append('Set-Cookie', setCookie('mcp', cookie, { host, seconds: COOKIE_S }));
  }
  return begun;
}

import { ApiProperty } from '@nestjs/swagger';
import { MaxLength } from 'class-validator';
import { nullableTime, OptionalText, RequiredText, says, time } from '../../../http/face.js';

const MAX_QUERY_CHARS = 8_000;

/** Where the answer of the authorization server is to go. */
export class AuthorizeDto {
  @OptionalText(
    'URL of an application, listed in TURNPIKE_MCP_REDIRECTS or on loopback, that sends the query of the answer to `POST /api/harness/mcp/logins/callback`. Default: the server’s own page, for the browser that sent this request.',
    'http://127.0.0.1:4455/callback',
  )
  redirect?: string;
}

export class BeginMcpLoginDto extends AuthorizeDto {
  @RequiredText('Name of the server.', 'tracker') server!: string;

  @OptionalText('Agent whose servers are meant. Default: those of the configuration.')
  agent?: string;
}

export class BegunMcpLoginDto {
  /** The page of the authorization server, which the person opens in a browser. */
  url!: string;
  /** The authorization server. Show it in clear text before the person opens the page. */
  issuer!: string;
  @ApiProperty(time) expiresAt!: string;
}

export class McpCallbackDto {
  @RequiredText(
    'The query of the URL that the authorization server sent the browser to.',
    'code=…&state=…&iss=…',
  )
  @MaxLength(MAX_QUERY_CHARS, says(`'$field' must have at most ${MAX_QUERY_CHARS} characters`))
  query!: string;
}

export class FinishedMcpLoginDto {
  /** Name of the server. */
  server!: string;
  issuer!: string;
  /** Approvals that asked for the log-in: they are answered now, and their turns go on. */
  @ApiProperty({ type: [String] }) approvalIds!: string[];
}

/** A log-in at an MCP server. Its tokens are never shown. */
export class McpLoginDto {
  /** @example mcpl_6b0f7c1e-3c0a-4f0e-9a53-6a3b7c0f2d11 */
  id!: string;
  /** Name of the server where the log-in was begun. */
  server!: string;
  /** URL of the server; the tokens are sent to no other. */
  url!: string;
  /** The authorization server. */
  issuer!: string;
  @ApiProperty(time) createdAt!: string;
  /** The time of the last log-in or refresh. */
  @ApiProperty(time) renewedAt!: string;
  /** The end of the token, which is refreshed before where its issuer allows that. Null: not known. */
  @ApiProperty(nullableTime) tokenExpiresAt!: string | null;
}

export class McpServerForPeopleDto {
  name!: string;
  host!: string;
}

export class McpLoginListDto {
  /** Oldest first. */
  logins!: McpLoginDto[];
  /** Servers of the configuration at which people log in, where these ask for it. */
  servers!: McpServerForPeopleDto[];
}

export class EndedMcpLoginDto {
  login!: McpLoginDto;
  /** Whether the authorization server took the tokens back. Otherwise they end there by themselves. */
  isRevoked!: boolean;
}

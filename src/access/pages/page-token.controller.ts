import { Body, Controller, Delete, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../http/errors/error-shape.js';
import { NOT_FOUND, type NotFound } from '../access.guard.js';
import { Caller } from '../caller.decorator.js';
import { NeedsScope, Unowned } from '../owned.decorator.js';
import { Owners } from '../ownership/owners.js';
import type { Principal } from '../principal.js';
import {
  EndedTokensDto,
  MintedTokenDto,
  NewPageTokenDto,
  TokensOfParamsDto,
} from './page-token.dto.js';
import { PageTokens } from './page-tokens.js';

@ApiTags('tokens')
@Controller('api/harness/tokens')
@NeedsScope('tokens')
export class PageTokenController {
  constructor(
    private readonly tokens: PageTokens,
    private readonly owners: Owners,
    @Inject(NOT_FOUND) private readonly notFound: NotFound,
  ) {}

  /** Make a token for a page of one of your users: minutes long, by a key with the scope tokens */
  @Post()
  @HttpCode(200)
  @Unowned('the session is that of the principal that the token is for, which is checked here')
  @ApiErrors('INVALID_REQUEST', 'FORBIDDEN_APPROVER', 'FORBIDDEN_PRINCIPAL', 'SESSION_NOT_FOUND')
  async createToken(
    @Body() wanted: NewPageTokenDto,
    @Caller() caller: Principal,
  ): Promise<MintedTokenDto> {
    const { owners, notFound } = this;
    const { principal = caller.id, sessionId } = wanted;
    const isOwned = async (id: string) => (await owners.find('session', id)) === principal;
    return this.tokens.mint(wanted, caller, async () => {
      if (sessionId !== undefined && !(await isOwned(sessionId))) throw notFound.session(sessionId);
    });
  }

  /** End all page tokens of one of your users, as at a log-out; tokens that are made later are taken */
  @Delete(':principal')
  @Unowned('the key must be one that may make tokens for the principal, which is checked here')
  @ApiErrors('INVALID_REQUEST', 'FORBIDDEN_PRINCIPAL')
  async endTokens(
    @Param() { principal }: TokensOfParamsDto,
    @Caller() caller: Principal,
  ): Promise<EndedTokensDto> {
    const endedAt = await this.tokens.end(principal, caller);
    return { principal, endedAt: endedAt.toISOString() };
  }
}

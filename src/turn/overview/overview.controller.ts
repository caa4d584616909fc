import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { forbiddenScope } from '../../access/access-errors.js';
import { AuditLog } from '../../access/audit-log.js';
import { Caller } from '../../access/caller.decorator.js';
import { NeedsScope, Unowned } from '../../access/owned.decorator.js';
import type { Principal } from '../../access/principal.js';
import { ApiErrors } from '../../http/errors/error-shape.js';
import { TurnIdDto } from '../../http/id-params.dto.js';
import { isId } from '../../platform/ids.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import type { KeyScope } from '../../storage/governance-schema.js';
import { ConversationService } from '../history/conversation-service.js';
import { LogPageDto } from '../history/history.dto.js';
import { streamErrors, turnNotFound } from '../state/turn-errors.js';
import {
  ForeignLogQueryDto,
  OneTurnSummaryDto,
  TurnListDto,
  TurnListQueryDto,
} from './overview.dto.js';
import { findSummary, pageTurns, viewSummary } from './select-turns.js';
import { withoutTexts } from './without-texts.js';

/** Turns beyond one session: the list of all, and those of others for whoever runs the server. */
@ApiTags('turns')
@Controller('api')
export class OverviewController {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly conversations: ConversationService,
    private readonly audit: AuditLog,
  ) {}

  /** Your turns of all sessions, the newest first, by status, error, agent, model, tool, cost, duration and time */
  @Get('harness/turns')
  @Unowned('it lists the caller’s own')
  @ApiErrors('INVALID_REQUEST')
  async listOwnTurns(
    @Query() query: TurnListQueryDto,
    @Caller() caller: Principal,
  ): Promise<TurnListDto> {
    return this.#list(query, caller, caller.id);
  }

  /** Everybody’s turns, as your own are listed; those of others without what was said */
  @Get('admin/turns')
  @NeedsScope('admin')
  @Unowned('it shows no text of others; the scope admin is for it')
  @ApiErrors('INVALID_REQUEST')
  async listAllTurns(
    @Query() query: TurnListQueryDto,
    @Caller() caller: Principal,
  ): Promise<TurnListDto> {
    return this.#list(query, caller);
  }

  /** What anybody’s turn did and cost, without what was said */
  @Get('admin/turns/:id')
  @NeedsScope('admin')
  @Unowned('it shows no text of the turn; the scope admin is for it')
  @ApiErrors('TURN_NOT_FOUND')
  async getAnyTurn(
    @Param() { id }: TurnIdDto,
    @Caller() caller: Principal,
  ): Promise<OneTurnSummaryDto> {
    const found = isId('turn', id) ? await findSummary(this.db, id) : undefined;
    if (found === undefined) throw turnNotFound(id);
    return { turn: viewSummary(found, { withTexts: found.principalId === caller.id }) };
  }

  /** Events of anybody’s turn with their times: without texts, unless the scope `texts` asks for them */
  @Get('admin/turns/:id/log')
  @NeedsScope('admin')
  @Unowned(
    'events have no text; with the scope texts they have, and the audit log says who read them',
  )
  @ApiErrors(...streamErrors)
  async readAnyLog(
    @Param() { id: turnId }: TurnIdDto,
    @Query() { texts, ...page }: ForeignLogQueryDto,
    @Caller() caller: Principal,
  ): Promise<LogPageDto> {
    const withTexts = texts === 'true';
    if (withTexts) assertScope(caller, 'texts');
    const log = await this.conversations.log(turnId, page);
    if (!withTexts) return { ...log, events: log.events.map(withoutTexts) };
    await this.audit.write({ by: caller, action: 'turn.texts-read', subject: turnId });
    return log;
  }

  async #list(
    query: TurnListQueryDto,
    caller: Principal,
    principalId?: string,
  ): Promise<TurnListDto> {
    const { rows, ...next } = await pageTurns(this.db, query, principalId);
    const turns = rows.map((row) => viewSummary(row, { withTexts: row.principalId === caller.id }));
    return { turns, ...next };
  }
}

/** An open server has one person, who may do everything. @throws TypedError FORBIDDEN_SCOPE 403. */
function assertScope({ credential, scopes }: Principal, needed: KeyScope): void {
  if (credential.kind !== 'none' && !scopes.includes(needed)) throw forbiddenScope(needed, scopes);
}

import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../http/api-errors.decorator.js';
import { CreatedKeyDto, KeyListDto, OneKeyDto } from './admin.dto.js';
import { AuditPageDto } from './audit-page.dto.js';
import { AuditQueryDto } from './audit-query.dto.js';
import { AuditService } from './audit-service.js';
import { Caller } from '../caller.decorator.js';
import { KeyService } from '../key-service.js';
import { NeedsScope, Unowned } from '../owned.decorator.js';
import type { Principal } from '../principal.js';
import { validateNewKey } from '../validate-new-key.js';

const manages = 'keys and the audit log are the server’s; the scope admin is for them';

/** Routes for keys with the scope `admin`, which gives no access to sessions. */
@ApiTags('admin')
@Controller('api/admin')
@NeedsScope('admin')
export class AdminController {
  constructor(
    private readonly keys: KeyService,
    private readonly audit: AuditService,
  ) {}

  @Post('keys')
  @HttpCode(200)
  @Unowned(manages)
  @ApiOperation({
    operationId: 'createKey',
    summary: 'Make an API key; the first one also without a key, from this machine',
  })
  @ApiBody({
    schema: {
      type: 'object',
      required: ['principal'],
      properties: {
        principal: { type: 'string', description: 'Who it stands for.' },
        name: { type: 'string' },
        scopes: { type: 'array', items: { enum: ['turns', 'approvals', 'admin'] } },
        expiresIn: { type: 'string', example: '30d' },
        projectRoots: {
          type: 'array',
          items: { type: 'string' },
          description: 'Absolute folders that its sessions may work in beside those open to all.',
          example: ['/srv/alice'],
        },
        limits: {
          type: 'object',
          example: { requestsPerMinute: 600, concurrentTurns: 8, tokensPerDay: 0, usdPerDay: 20 },
        },
      },
    },
  })
  @ApiOkResponse({ type: CreatedKeyDto })
  @ApiErrors('INVALID_REQUEST')
  create(@Body() body: unknown, @Caller() caller: Principal): Promise<CreatedKeyDto> {
    return this.keys.create(validateNewKey(body), caller.id);
  }

  @Get('keys')
  @Unowned(manages)
  @ApiOperation({ operationId: 'listKeys', summary: 'All keys, without their secrets' })
  @ApiOkResponse({ type: KeyListDto })
  async list(): Promise<KeyListDto> {
    return { keys: await this.keys.list() };
  }

  @Delete('keys/:id')
  @Unowned(manages)
  @ApiOperation({
    operationId: 'revokeKey',
    summary: 'Revoke a key; every process knows within a second',
  })
  @ApiOkResponse({ type: OneKeyDto })
  @ApiErrors('KEY_NOT_FOUND')
  async revoke(@Param('id') id: string, @Caller() caller: Principal): Promise<OneKeyDto> {
    return { key: await this.keys.revoke(id, caller.id) };
  }

  @Get('audit')
  @Unowned(manages)
  @ApiOperation({ operationId: 'listAuditEntries', summary: 'Who did what, oldest first' })
  @ApiOkResponse({ type: AuditPageDto })
  @ApiErrors('INVALID_REQUEST')
  entries(@Query() query: AuditQueryDto): Promise<AuditPageDto> {
    return this.audit.page(query);
  }
}

import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../http/errors/error-shape.js';
import { EndedAccessDto, PrincipalParamsDto, viewEnded } from './access.dto.js';
import { AccessEnder } from './people/access-ender.js';
import { AuditLog } from './audit-log.js';
import { mintsOfOthers } from './access-errors.js';
import { Caller } from './caller.decorator.js';
import { CustomAuthenticators } from './custom-authenticators.js';
import { EndedReaders } from './people/ended-readers.js';
import { KeyService } from './keys/key-service.js';
import {
  AuditPageDto,
  AuditQueryDto,
  CreatedKeyDto,
  KeyChangesDto,
  KeyListDto,
  KeyParamsDto,
  MasterKeyRotationDto,
  NewKeyDto,
  OneKeyDto,
} from './keys/key.dto.js';
import { MasterKeyRotation } from './secrets/master-key-rotation.js';
import { NeedsScope, Unowned } from './owned.decorator.js';
import type { Principal } from './principal.js';

const manages = 'keys and the audit log are the server’s; the scope admin is for them';

/** Routes for keys with the scope `admin`, which gives no access to sessions. */
@ApiTags('admin')
@Controller('api/admin')
@NeedsScope('admin')
export class AdminController {
  constructor(
    private readonly keys: KeyService,
    private readonly audit: AuditLog,
    private readonly masterKeys: MasterKeyRotation,
    private readonly ender: AccessEnder,
    private readonly readers: EndedReaders,
    private readonly others: CustomAuthenticators,
  ) {}

  /** Make an API key; the first one of an embedded database also without a key, from the server’s machine */
  @Post('keys')
  @HttpCode(200)
  @Unowned(manages)
  @ApiErrors('INVALID_REQUEST')
  createKey(@Body() key: NewKeyDto, @Caller() caller: Principal): Promise<CreatedKeyDto> {
    if (key.mints !== undefined && this.others.vouchFor(key.mints)) throw mintsOfOthers(key.mints);
    return this.keys.create(key, caller);
  }

  /** All keys, without their secrets */
  @Get('keys')
  @Unowned(manages)
  async listKeys(): Promise<KeyListDto> {
    return { keys: await this.keys.list() };
  }

  /** Change a key’s name and limits; every process knows within a second */
  @Patch('keys/:id')
  @Unowned(manages)
  @ApiErrors('INVALID_REQUEST', 'KEY_NOT_FOUND')
  async changeKey(
    @Param() { id }: KeyParamsDto,
    @Body() changes: KeyChangesDto,
    @Caller() caller: Principal,
  ): Promise<OneKeyDto> {
    return { key: await this.keys.change(id, changes, caller) };
  }

  /** Revoke a key; every process knows within a second */
  @Delete('keys/:id')
  @Unowned(manages)
  @ApiErrors('KEY_NOT_FOUND')
  async revokeKey(@Param() { id }: KeyParamsDto, @Caller() caller: Principal): Promise<OneKeyDto> {
    return { key: await this.keys.revoke(id, caller) };
  }

  /** Wrap all data keys with the first master key, and seal secrets that are stored in plain text */
  @Post('master-key/rotate')
  @HttpCode(200)
  @Unowned(manages)
  @ApiErrors('NO_MASTER_KEY', 'SECRET_UNREADABLE')
  rotateMasterKey(@Caller() caller: Principal): Promise<MasterKeyRotationDto> {
    return this.masterKeys.rotate(caller);
  }

  /** End the access of a person who left: tokens issued so far, keys, schedules’ grants and open streams */
  @Delete('principals/:principal/access')
  @Unowned(manages)
  @ApiErrors('INVALID_REQUEST')
  async endAccess(
    @Param() { principal }: PrincipalParamsDto,
    @Caller() caller: Principal,
  ): Promise<EndedAccessDto> {
    const ended = await this.ender.end(principal, caller);
    return viewEnded(principal, ended, this.readers.close(principal, ended.endedAt));
  }

  /** Who did what, oldest first */
  @Get('audit')
  @Unowned(manages)
  @ApiErrors('INVALID_REQUEST')
  listAuditEntries(@Query() query: AuditQueryDto): Promise<AuditPageDto> {
    return this.audit.page(query);
  }
}

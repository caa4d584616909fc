import { Controller, Delete, Inject, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AuditLog } from '../access/audit-log.js';
import { Caller } from '../access/caller.decorator.js';
import { NeedsScope, Unowned } from '../access/owned.decorator.js';
import type { Principal } from '../access/principal.js';
import { ApiErrors } from '../http/errors/error-shape.js';
import { DATABASE, type Database } from '../storage/connection.js';
import { ForgottenMcpClientsDto, McpClientsQueryDto } from './mcp-clients.dto.js';
import { forgetClients } from './mcp/oauth/registered-clients.js';

/** What the deployment is to authorization servers of MCP servers. */
@ApiTags('admin')
@Controller('api/admin/mcp/clients')
@NeedsScope('admin')
export class McpClientsController {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly audit: AuditLog,
  ) {}

  /** Forget that an authorization server registered this one: the next log-in registers anew */
  @Delete()
  @Unowned('registrations are the server’s; the scope admin is for them')
  @ApiErrors('INVALID_REQUEST')
  async forgetMcpClients(
    @Query() { issuer }: McpClientsQueryDto,
    @Caller() by: Principal,
  ): Promise<ForgottenMcpClientsDto> {
    return this.db.transaction(async (tx) => {
      const forgotten = await forgetClients(tx, issuer);
      const details = { forgotten };
      await this.audit.write({ by, action: 'mcp-client.forgotten', subject: issuer, details }, tx);
      return { issuer, forgotten };
    });
  }
}

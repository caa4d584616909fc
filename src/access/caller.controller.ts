import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiKeyCache } from './api-key-cache.js';
import { Caller } from './caller.decorator.js';
import { viewCaller, CallerDto } from './caller.dto.js';
import { AnyScope, HarmlessForPages, Unowned } from './owned.decorator.js';
import type { Principal } from './principal.js';

@ApiTags('callers')
@Controller('api/harness/me')
export class CallerController {
  constructor(private readonly keys: ApiKeyCache) {}

  /** Who the caller is, by which credential, what it may do, and until when; for every scope */
  @Get()
  @AnyScope()
  @Unowned('it is the caller’s own')
  @HarmlessForPages('it says what the token is for')
  async getCaller(@Caller() caller: Principal): Promise<CallerDto> {
    return viewCaller(caller, await this.#endOf(caller));
  }

  async #endOf({ credential }: Principal): Promise<Date | undefined> {
    if (credential.kind !== 'key') {
      return 'expiresAt' in credential ? credential.expiresAt : undefined;
    }
    return (await this.keys.findById(credential.id))?.expiresAt ?? undefined;
  }
}

import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiKeyCache } from './keys/api-key-cache.js';
import { Caller } from './caller.decorator.js';
import { CallerDto, LoginDto, viewCaller, viewLogin } from './caller.dto.js';
import { AnyScope, HarmlessForPages, Open, Unowned } from './owned.decorator.js';
import { TokenVerifier } from './tokens/token-verifier.js';
import type { Principal } from './principal.js';

@ApiTags('callers')
@Controller('api/harness')
export class CallerController {
  constructor(
    private readonly keys: ApiKeyCache,
    private readonly tokens: TokenVerifier,
  ) {}

  /** Who the caller is, by which credential, what it may do, and until when; for every scope */
  @Get('me')
  @AnyScope()
  @Unowned('it is the caller’s own')
  @HarmlessForPages('it says what the token is for')
  async getCaller(@Caller() caller: Principal): Promise<CallerDto> {
    return viewCaller(caller, await this.#endOf(caller));
  }

  /** Identity providers that people log in at with `turnpike login` */
  @Get('login')
  @Open('who asks has no credential yet, and nothing of it is secret')
  getLogin(): LoginDto {
    return viewLogin(this.tokens.cliLogins);
  }

  async #endOf({ credential }: Principal): Promise<Date | undefined> {
    if (credential.kind !== 'key') {
      return 'expiresAt' in credential ? credential.expiresAt : undefined;
    }
    return (await this.keys.findById(credential.id))?.expiresAt ?? undefined;
  }
}

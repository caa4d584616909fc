import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { checkOrigin } from './check-origin.js';

export class OriginGuard implements CanActivate {
  /** @param origins of other sites whose pages may call. */
  constructor(private readonly origins: readonly string[]) {}

  canActivate(context: ExecutionContext): boolean {
    const { host, origin } = context.switchToHttp().getRequest<Request>().headers;
    const refusal = checkOrigin({ host, origin }, this.origins);
    if (refusal !== undefined) throw refusal;
    return true;
  }
}

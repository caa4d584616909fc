import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { checkOrigin } from './check-origin.js';

export class OriginGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { host, origin } = context.switchToHttp().getRequest<Request>().headers;
    const refusal = checkOrigin({ host, origin });
    if (refusal !== undefined) throw refusal;
    return true;
  }
}

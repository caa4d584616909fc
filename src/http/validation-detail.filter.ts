import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import { ValidationDetailError } from './validation-detail.js';

/**
 * Answers `{detail}`, for controllers whose clients parse it. Other errors go to the global filter.
 */
@Catch(ValidationDetailError)
export class ValidationDetailFilter implements ExceptionFilter {
  catch({ status, detail }: ValidationDetailError, host: ArgumentsHost): void {
    host.switchToHttp().getResponse<Response>().status(status).json({ detail });
  }
}

import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { TypedError } from '../../errors/typed-error.js';
import { noteRefusal } from '../../http/request-record.js';
import { ValidationDetailError } from '../../http/validation-detail.js';
import { retryAdvice } from '../../platform/retry-advice.js';

/** Errors as clients of this family parse them. What is no error for a client is left to the global filter. */
@Catch(TypedError)
export class OracleErrorFilter implements ExceptionFilter {
  catch(error: TypedError, host: ArgumentsHost): void {
    const detail = error instanceof ValidationDetailError ? error.detail : error.message;
    const http = host.switchToHttp();
    noteRefusal(http.getRequest<Request>(), error);
    const response = http.getResponse<Response>();
    response
      .status(error.status)
      .set(error.headers)
      .json({ detail, ...retryAdvice(error) });
  }
}

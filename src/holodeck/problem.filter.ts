import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ProblemReporter } from './problem-reporter.js';

/** Errors as clients of this family parse them. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(@Inject(ProblemReporter) private readonly problems: ProblemReporter) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const { method, path } = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const isAbandoned = response.destroyed;
    const { status, headers, body } = this.problems.report(thrown, { method, path, isAbandoned });
    if (isAbandoned) return;
    if (response.headersSent) {
      response.end();
      return;
    }
    response.statusCode = status;
    // Not the framework's way: it would add a charset that the type does not have.
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.end(JSON.stringify(body));
  }
}

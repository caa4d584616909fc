import { createServer } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import { StreamableFile } from '@nestjs/common';
import type { Express, Response } from 'express';
import { printJson } from '../platform/exact-json.js';
import { answerUnreadable } from './check-head.js';

/** Express whose server leaves it to us to refuse what it cannot read, and whose answers keep their numbers. */
export class HttpAdapter extends ExpressAdapter {
  override initHttpServer(): void {
    const app: Express = this.getInstance();
    // `checkHead` refuses a request without a Host, in the words of other refusals.
    const server = createServer({ requireHostHeader: false }, app);
    // Node would drop the rest without a word; `checkHead` refuses them. Their length is bounded as well.
    server.maxHeadersCount = 0;
    server.on('clientError', answerUnreadable);
    this.httpServer = server;
  }

  /** Answers in JSON, with numbers of models and tools as they came. */
  override reply(response: Response, body: unknown, status?: number): void {
    if (
      typeof body !== 'object' ||
      body === null ||
      body instanceof StreamableFile ||
      body instanceof Error
    ) {
      super.reply(response, body, status);
      return;
    }
    if (status !== undefined) response.status(status);
    if (response.get('Content-Type') === undefined) response.type('json');
    response.send(printJson(body));
  }

  /** Streams may be open for hours: a stop does not wait for them. */
  override async close(): Promise<void> {
    const closed = super.close();
    this.httpServer.closeAllConnections();
    await closed;
  }
}

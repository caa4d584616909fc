import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import { StreamableFile } from '@nestjs/common';
import type { Express, Response } from 'express';
import { printJson } from '../platform/exact-json.js';
import { answerUnreadable } from './check-head.js';

/**
 * Express over requests and responses that are made with its prototypes. It gives its prototypes to each request
 * and response when it comes otherwise, which makes each a hidden class of its own for V8: whatever is done with
 * them for as long as a stream is open finds no property in an inline cache.
 */
export class HttpAdapter extends ExpressAdapter {
  override initHttpServer(): void {
    const app: Express = this.getInstance();
    class Request extends IncomingMessage {}
    class Response extends ServerResponse {}
    app.request = beBefore(Request.prototype, app.request);
    app.response = beBefore(Response.prototype, app.response);
    const options = { IncomingMessage: Request, ServerResponse: Response };
    // `checkHead` refuses a request without a Host, in the words of other refusals.
    const server = createServer({ ...options, requireHostHeader: false }, app);
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

/** @returns `own`, which has all that `next` has. */
function beBefore<Next extends object>(own: object, next: Next): Next {
  Object.setPrototypeOf(own, next);
  // It has what `next` has, as an object before it in its chain.
  return own as Next;
}

import { Injectable } from '@nestjs/common';
import type { RequestHandler } from 'express';

/** Pages that browsers are sent to, beside the console and the routes of the API. */
export interface BrowserPage {
  /** Paths that are its own alone. */
  paths: readonly string[];
  handle: RequestHandler;
}

/** The pages of this process. Features add theirs when they are loaded, before it listens. */
@Injectable()
export class BrowserPages {
  readonly #handlers = new Map<string, RequestHandler>();
  /** What answers the requests of a path. */
  readonly handlers: ReadonlyMap<string, RequestHandler> = this.#handlers;

  register({ paths, handle }: BrowserPage): void {
    for (const path of paths) this.#handlers.set(path, handle);
  }
}

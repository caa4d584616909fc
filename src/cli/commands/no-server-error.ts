import type { ServerSearch } from './locate-server.js';

/** There is no server to ask, and none was started. One line: where it was looked for, and what to do. */
export class NoServerError extends Error {
  constructor({ looked }: Pick<ServerSearch, 'looked'>, advice = '') {
    super(
      `No server was found: ${looked}. Start one (npm start, or turnpike serve), or name one with --url or TURNPIKE_URL.${advice}`,
    );
  }
}

import { BOARD_SESSION_MS } from '../turn/queue/board-sessions.js';
import type { RequestHead } from '../access/parse-credentials.js';

const NAME = 'turnpike_board';

/** The board token of a request; undefined without one. Pure. */
export function parseBoardCookie({
  rawHeaders,
}: Pick<RequestHead, 'rawHeaders'>): string | undefined {
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== 'cookie') continue;
    const found = /(?:^|;\s*)turnpike_board=([\w-]{43})\s*(?:;|$)/.exec(rawHeaders[at + 1] ?? '');
    if (found?.[1] !== undefined) return found[1];
  }
  return undefined;
}

/**
 * `Set-Cookie` of a board session: limited to the board, hidden from scripts and from other sites'
 * pages. Pure.
 *
 * @param origin of the page; an https page's cookie is sent over https alone.
 */
export function boardCookie(
  token: string,
  { path, origin }: { path: string; origin: string | undefined },
): string {
  const secure = origin?.startsWith('https://') === true ? '; Secure' : '';
  const seconds = BOARD_SESSION_MS / 1_000;
  return `${NAME}=${token}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

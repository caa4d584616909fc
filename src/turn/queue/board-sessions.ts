/** Lifetime of a board session, in ms. */
export const BOARD_SESSION_MS = 1_800_000;

/**
 * Tokens that stand for an API key on the job board, where a browser can send only a cookie. All
 * processes of the deployment share them.
 */
export interface BoardSessions {
  /** Opens a session. @returns its token: 32 random bytes in base64url. */
  open(keyId: string): Promise<string>;
  /** The id of the key; undefined for an unknown or expired token. */
  find(token: string): Promise<string | undefined>;
}

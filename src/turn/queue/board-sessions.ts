/** How long the board of the queue is open without a key being sent again, in ms. */
export const BOARD_SESSION_MS = 1_800_000;

/**
 * Tokens that stand for an API key on the board of the queue, where a browser sends no other header
 * than a cookie. Every process of the deployment knows them.
 */
export interface BoardSessions {
  /** @returns the token of a new one, 32 random bytes in base64url. */
  open(keyId: string): Promise<string>;
  /** The id of the key; undefined for a token that is none, or not any more. */
  find(token: string): Promise<string | undefined>;
}

/** The id of the message that answers a turn: known before the turn has begun. */
export function assistantMessageId(turnId: string): string {
  return turnId.replace(/^turn_/, 'msg_');
}

/** A response by its id: a turn, and the question whose answer it begins with. */
export interface ResponseName {
  turnId: string;
  /** Undefined: the turn's first response. */
  approvalId: string | undefined;
}

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const form = new RegExp(`^resp_(${uuid})(?:_(${uuid}))?$`);

/** `resp_` and the ids of the turn and of the question without their prefixes. Pure. */
export function formatResponseId({ turnId, approvalId }: ResponseName): string {
  const turn = turnId.replace(/^turn_/, 'resp_');
  return approvalId === undefined ? turn : `${turn}_${approvalId.replace(/^appr_/, '')}`;
}

/** @returns undefined for text that is no id of a response. */
export function parseResponseId(text: string): ResponseName | undefined {
  const [, turn, approval] = form.exec(text) ?? [];
  if (turn === undefined) return undefined;
  return {
    turnId: `turn_${turn}`,
    approvalId: approval === undefined ? undefined : `appr_${approval}`,
  };
}

import type { RunAgentInputSchema } from '@ag-ui/core/schemas';
import type { z } from 'zod';
import { invalidRequest } from '../../errors/typed-error.js';
import { toMediaParts } from './binary-part.js';
import { describeIssue } from '../conversation/describe-issue.js';
import type { AgUiMessage } from './dialect/ag-ui-frames.js';

/** A body that the protocol's own schema takes. */
export type CheckedRun = z.output<typeof RunAgentInputSchema>;

/**
 * Checks a body by the protocol's own schema, with some of its messages alone. Null counts as absent.
 *
 * @param from index of the first of these messages in the client's list.
 * @throws TypedError INVALID_REQUEST 400 that says which field is wrong, and what it should be.
 */
export async function checkRun(
  body: Record<string, unknown>,
  messages: readonly AgUiMessage[],
  from: number,
): Promise<CheckedRun> {
  // The schemas take 18 MB: a server without clients of the protocol does not load them.
  const [{ omitOptionalNulls }, { RunAgentInputSchema }] = await Promise.all([
    import('@ag-ui/core'),
    import('@ag-ui/core/schemas'),
  ]);
  const sent = { ...body, messages: messages.map(toMediaParts) };
  const { error, data } = RunAgentInputSchema.safeParse(omitOptionalNulls(sent, 'RunAgentInput'));
  if (error === undefined) return data;
  throw invalidRequest(describeIssue(error.issues, { messages: from }));
}

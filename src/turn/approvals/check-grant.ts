import { grantsFor } from '../../governance/permissions/grants-for.js';
import { findCover, ruledCall } from '../../governance/permissions/match-rule.js';
import { invalidRequest } from '../../errors/typed-error.js';
import { findArgument } from '../../tools/calls/permission-argument.js';
import type { ToolRegistry } from '../../tools/registry.js';
import type { ApprovalRow } from './approval-writes.js';
import { effectiveInput } from './judge-call.js';

/** Characters of a rule that is shown. */
const SHOWN = 200;

/**
 * Checks that the rule that a person gives for the session covers the call that it is given for: one
 * that does not would let another call run that nobody was asked about, and ask about this one again.
 *
 * @param answer with the input that the call will have, where the person changed it.
 * @throws TypedError INVALID_REQUEST, with a rule that does.
 */
export async function checkGrant(
  tools: ToolRegistry,
  asked: Pick<ApprovalRow, 'name' | 'input' | 'editedInput'>,
  { rule, projectRoot }: { rule: string; projectRoot: string },
): Promise<void> {
  const [tool = {}] = tools.select([asked.name]).tools;
  const argument = await findArgument(tool, effectiveInput(asked.input, [asked]), projectRoot);
  if (findCover([rule], ruledCall(asked.name, argument)) !== undefined) return;
  const example = grantsFor(asked.name, argument)[0] ?? asked.name;
  const shown = example.length > SHOWN ? asked.name : example;
  throw invalidRequest(
    `'rule' does not cover the call it is given for: send one that does, for example ${shown}, or none for this very call`,
  );
}

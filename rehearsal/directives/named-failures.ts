import type { FailureReply } from '../http/wire-error.js';
import type { ModelProfile } from '../models/profiles.js';

/** Failures that clients tell apart by their words alone. */
const byWords = {
  spend_limit: {
    status: 400,
    message:
      'You have reached your specified API usage limits. You will regain access on ' +
      '2026-12-01 at 00:00 UTC.',
  },
  credit: {
    status: 400,
    message:
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing ' +
      'to upgrade or purchase credits.',
  },
  prompt_too_long: {
    status: 400,
    message: ({ window }: ModelProfile) =>
      `prompt is too long: ${window + 1} tokens > ${window} maximum`,
  },
  bound: {
    status: 400,
    message:
      'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a ' +
      'different conversation. Remove the block, or set ' +
      '`thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
  },
} satisfies Record<string, { status: number; message: string | ((model: ModelProfile) => string) }>;

/** Failures that have an `error_code`, by that code. */
const byCode = {
  workspace_human_review_disabled: [400, 'Human review is disabled for this workspace.'],
  organization_on_hold: [400, 'This organization has been disabled.'],
  organization_type_not_supported: [400, 'This endpoint does not support the organization.'],
  parent_organization_required: [400, 'This endpoint needs a parent organization.'],
  cmek_key_disabled: [400, "The workspace's encryption key is disabled."],
  cmek_key_network_blocked: [400, "The request to the workspace's encryption key was blocked."],
  available_tools_limit_exceeded: [400, 'The request has too many tools.'],
  tool_name_conflict: [400, 'Two tools of the request have one name.'],
  request_body_encoding_invalid: [400, 'The request body could not be decoded.'],
  request_body_encoding_unsupported: [400, 'The encoding of the request body is not supported.'],
  linked_organization_billing_unavailable: [402, 'The linked organization cannot be billed.'],
  linked_organization_spend_limit_reached: [402, 'The linked organization is at its spend limit.'],
  sandbox_egress_restricted: [403, 'The sandbox may not reach this address.'],
  thread_not_found: [404, 'There is no such thread.'],
  request_body_too_large_after_decoding: [413, 'The decoded request body is too large.'],
  enforced_spend_limit_reached: [429, 'Your organization has reached its spend limit.'],
  contract_spend_limit_reached: [429, 'Your organization is at the spend limit of its contract.'],
  ramp_limit_exceeded: [429, 'Your usage has risen faster than your organization may ramp it up.'],
  cmek_context_unavailable: [503, "The workspace's encryption settings could not be read."],
  cmek_key_unreachable: [503, "The workspace's encryption key could not be reached."],
  compaction_unavailable: [529, 'Compaction is unavailable.'],
} satisfies Record<string, readonly [status: number, message: string]>;

/** Shorter names of codes. */
const shorter = {
  enforced_spend_limit: 'enforced_spend_limit_reached',
  ramp_limit: 'ramp_limit_exceeded',
} satisfies Record<string, keyof typeof byCode>;

type Words = keyof typeof byWords;
type Short = keyof typeof shorter;
export type FailureCode = keyof typeof byCode;
export type FailureName = Words | Short | FailureCode;

export const failureNames: readonly FailureName[] = [
  ...(Object.keys(byWords) as Words[]),
  ...(Object.keys(shorter) as Short[]),
  ...(Object.keys(byCode) as FailureCode[]),
];

export function namedFailure(name: FailureName, profile: ModelProfile): FailureReply {
  if (name in byWords) {
    const { status, message } = byWords[name as Words];
    return { status, message: typeof message === 'string' ? message : message(profile) };
  }
  const code = name in shorter ? shorter[name as Short] : (name as FailureCode);
  const [status, message] = byCode[code];
  return { status, message, code };
}

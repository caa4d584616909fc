import { currentContract, type WireContract } from './http/parse-headers.js';
import { callableProfile } from './models/find-profile.js';
import type { ModelProfile } from './models/model-profile.js';
import type { MessagesRequest } from './request-types.js';
import { validateMedia } from './rules/validate-media.js';
import { validateModelLimits } from './rules/validate-model-limits.js';
import { validateThinking } from './rules/validate-thinking.js';
import { checkThinking, type DroppedThinking } from './thinking/check-thinking.js';
import { validateRequest } from './validate-request.js';

/** A request as the model sees it. */
export interface AcceptedRequest {
  /** Without the thinking that was dropped. */
  body: MessagesRequest;
  /** As it came. */
  sent: MessagesRequest;
  profile: ModelProfile;
  dropped: DroppedThinking[];
}

/**
 * Refuses what the API refuses, but for what needs tokens to be counted. Nothing is remembered:
 * the same request is taken or refused by any rehearsal, before and after a restart.
 *
 * @throws a 400 with the path of the fault; a 404 for a model that is unknown or retired
 */
export function acceptRequest(
  body: unknown,
  contract: WireContract = currentContract,
): AcceptedRequest {
  validateRequest(body, contract);
  const profile = callableProfile(body.model);
  validateThinking(body, profile, contract);
  validateModelLimits(body, profile);
  validateMedia(body, profile);
  return { ...checkThinking(body, profile), sent: body, profile };
}

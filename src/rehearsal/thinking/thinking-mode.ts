import type { ModelProfile, ProfileThinking } from '../models/model-profile.js';
import type { MessagesRequest } from '../request-types.js';

/** The thinking of a reply, by its request and model. */
export interface ThinkingMode {
  /** The kind asked for, or the model's default. */
  kind: ProfileThinking;
  on: boolean;
  /** Whether the reply has the text of thinking. */
  display: 'summarized' | 'omitted' | 'updates';
}

export function thinkingOf(body: MessagesRequest, profile: ModelProfile): ThinkingMode {
  const asked = body.thinking;
  const kind = asked?.type ?? (profile.thinksByDefault ? 'adaptive' : 'disabled');
  const display = asked && 'display' in asked ? asked.display : undefined;
  return {
    kind,
    on: kind === 'adaptive' || kind === 'enabled',
    display: display ?? profile.display,
  };
}

import type { ModelProfile, ThinkingKind } from '../models/model-profile.js';
import type { MessagesRequest } from '../request-types.js';

/** What a request and its model make of thinking. */
export interface ThinkingMode {
  /** What was asked for, or what the model does by itself. */
  kind: ThinkingKind;
  on: boolean;
  /** Whether text of thinking comes back. */
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

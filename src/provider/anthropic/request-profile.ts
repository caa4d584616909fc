import type { Config } from '../../config/config.js';
import type { Model } from '../model.js';

export type ProfileName = Config['providerProfile'];

/** The part of the wire that may be used: all of the API, or only what every server of Messages takes. */
export interface RequestProfile {
  name: ProfileName;
  /** The header of the key. */
  authentication: 'bearer' | 'x-api-key';
  /** The `anthropic-version` header; undefined: the version this build was written for. */
  apiVersion: string | undefined;
  /** Whether `tool_choice: none` is taken. */
  hasToolChoiceNone: boolean;
  /** Whether `output_config.effort` is accepted, and kinds of thinking other than `enabled` with a budget. */
  hasEffort: boolean;
  /** Whether there is a Models API. */
  hasModels: boolean;
}

export const requestProfiles: Readonly<Record<ProfileName, RequestProfile>> = {
  anthropic: {
    name: 'anthropic',
    authentication: 'bearer',
    apiVersion: undefined,
    hasToolChoiceNone: true,
    hasEffort: true,
    hasModels: true,
  },
  compatible: {
    name: 'compatible',
    authentication: 'x-api-key',
    apiVersion: '2023-06-01',
    hasToolChoiceNone: false,
    hasEffort: false,
    hasModels: false,
  },
};

/**
 * A model with the features that a profile allows: a compatible server takes no system messages in a
 * conversation, no effort, thinking with a budget only, no format of replies, and no tools of the provider.
 */
export function limitModel(model: Model, { hasEffort }: RequestProfile): Model {
  if (hasEffort) return model;
  const { effortsWithoutThinking: _efforts, defaultEffort: _effort, ...rest } = model;
  return {
    ...rest,
    thinking: ['enabled'],
    thinksByDefault: 'off',
    efforts: [],
    takesSystemMessages: false,
    bindsThinking: false,
    structuredOutputs: false,
    serverTools: { webSearch: false, codeExecution: false },
    toolSearch: false,
  };
}

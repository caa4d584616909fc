import type { Model } from './models/model.js';

export const profileNames = ['anthropic', 'compatible'] as const;
export type ProfileName = (typeof profileNames)[number];

/** What may be sent: the API's own wire, or only what every server takes that speaks Messages. */
export interface RequestProfile {
  name: ProfileName;
  /** How the key is sent. */
  authentication: 'bearer' | 'x-api-key';
  /** The `anthropic-version` header; undefined: the version this build was written for. */
  apiVersion: string | undefined;
  /** `tool_choice: none`, beside tools that are listed. */
  hasToolChoiceNone: boolean;
  /** `output_config.effort`, and kinds of thinking beside `enabled` with a budget. */
  hasEffort: boolean;
  /** The Models API. */
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
 * A model as a profile lets it be used: over a plain server it takes no system messages in a
 * conversation, no effort, thinking with a budget only, and runs no tools of the provider.
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
    serverTools: { webSearch: false, codeExecution: false },
  };
}

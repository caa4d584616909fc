import type { Config } from '../../config/config.js';
import type { Model } from '../model.js';
import type { CloudName } from '../../config/variable-forms.js';
import { cloudKinds, type CloudKind, type CloudSettings } from '../clouds/cloud-table.js';
import { unknownModel } from '../models/known-models.js';

export type ProfileName = Config['providerProfile'];

/** The part of the Messages API that a server has: all of it at Anthropic, less at the servers of others. */
export interface RequestProfile {
  name: ProfileName;
  /** The address where none is configured; that of a cloud depends on its settings (`urlOf`). */
  defaultUrl: string;
  /** The headers of the key: `both` for servers that read the one or the other. */
  authentication: 'bearer' | 'both';
  /** Whether a key must be set. */
  needsKey: boolean;
  /** The `anthropic-version` header; undefined: the version this build was written for. */
  apiVersion: string | undefined;
  /** Whether `tool_choice: none` is taken. */
  hasToolChoiceNone: boolean;
  /** Whether `output_config.effort` is accepted, and kinds of thinking other than `enabled` and `disabled`. */
  hasEffort: boolean;
  /** Whether there is a Models API. */
  hasModels: boolean;
  /** Whether tokens are counted; the servers of others are asked once. */
  hasCount: boolean;
  /** Whether tools may be named by their type, as Anthropic's own memory tool. */
  hasTypedTools: boolean;
  /** Whether a text document is a block of its own; otherwise it is sent as text below its title. */
  takesDocuments: boolean;
  /** Whether stop sequences take effect. */
  takesStops: boolean;
  /** Whether replies may begin without `message_start`. */
  mayOmitStart: boolean;
  /** Whether the place has Claude, so that the table of models is about it. */
  hasClaude: boolean;
  /** Assumptions about a model that nothing describes. */
  describe(id: string): Model;
  /** The cloud behind whose addresses and credentials it is. */
  cloud?: CloudKind;
}

const ANTHROPIC_URL = 'https://api.anthropic.com';

const anthropic: RequestProfile = {
  name: 'anthropic',
  defaultUrl: ANTHROPIC_URL,
  authentication: 'bearer',
  needsKey: true,
  apiVersion: undefined,
  hasToolChoiceNone: true,
  hasEffort: true,
  hasModels: true,
  hasCount: true,
  hasTypedTools: true,
  takesDocuments: true,
  takesStops: true,
  mayOmitStart: false,
  hasClaude: true,
  describe: unknownModel,
};

const compatible: RequestProfile = {
  name: 'compatible',
  defaultUrl: ANTHROPIC_URL,
  authentication: 'both',
  needsKey: false,
  apiVersion: '2023-06-01',
  hasToolChoiceNone: false,
  hasEffort: false,
  hasModels: false,
  hasCount: true,
  hasTypedTools: false,
  takesDocuments: false,
  takesStops: true,
  mayOmitStart: true,
  hasClaude: true,
  describe: (id) => ({ ...unknownModel(id), seesImages: false, readsPdfs: false }),
};

/** Tokens that a local model is taken to have: servers cut a longer prompt without a word. */
const LOCAL_WINDOW = 32_768;

/** A server on a machine of one's own: its models cost nothing, and their window is what the server was started with. */
const local: RequestProfile = {
  ...compatible,
  hasClaude: false,
  describe: (id) => ({
    ...compatible.describe(id),
    contextWindow: LOCAL_WINDOW,
    maxOutput: LOCAL_WINDOW / 4,
    price: { input: 0, output: 0 },
  }),
};

/** A local server whose models think unless a request says `disabled`. */
const thinking: RequestProfile = {
  ...local,
  describe: (id) => ({
    ...local.describe(id),
    thinking: ['enabled', 'disabled'],
    thinksByDefault: 'on',
  }),
};

/** Claude behind a cloud: the whole API but for what the cloud lacks. Its credentials are its own. */
function inCloud(name: CloudName): RequestProfile {
  const cloud = cloudKinds[name];
  const { models: hasModels, count: hasCount, typedTools: hasTypedTools } = cloud.features;
  return { ...anthropic, name, needsKey: false, hasModels, hasCount, hasTypedTools, cloud };
}

export const requestProfiles: Readonly<Record<ProfileName, RequestProfile>> = {
  anthropic,
  compatible,
  'llama.cpp': { ...local, name: 'llama.cpp', defaultUrl: 'http://127.0.0.1:8080' },
  vllm: { ...local, name: 'vllm', defaultUrl: 'http://127.0.0.1:8000' },
  ollama: { ...thinking, name: 'ollama', defaultUrl: 'http://127.0.0.1:11434' },
  'lm-studio': { ...local, name: 'lm-studio', defaultUrl: 'http://127.0.0.1:1234' },
  litellm: {
    ...compatible,
    name: 'litellm',
    defaultUrl: 'http://127.0.0.1:4000',
    takesStops: false,
    hasClaude: false,
  },
  openrouter: {
    ...compatible,
    name: 'openrouter',
    defaultUrl: 'https://openrouter.ai/api',
    authentication: 'bearer',
    needsKey: true,
    hasClaude: false,
  },
  bedrock: inCloud('bedrock'),
  mantle: inCloud('mantle'),
  aws: inCloud('aws'),
  vertex: inCloud('vertex'),
  'google-cloud': inCloud('google-cloud'),
  foundry: inCloud('foundry'),
};

/** The address of a profile where none is configured. */
export function urlOf(name: ProfileName, settings: CloudSettings): string {
  const { cloud, defaultUrl } = requestProfiles[name];
  return cloud?.url(settings) ?? defaultUrl;
}

/**
 * A model with the features that a profile allows: a compatible server takes no system messages in a
 * conversation, no effort, no format of replies, and no tools of the provider; thinking with a budget, and off
 * where the model lists it.
 */
export function limitModel(model: Model, { hasEffort }: RequestProfile): Model {
  if (hasEffort) return model;
  const { effortsWithoutThinking: _efforts, defaultEffort: _effort, ...rest } = model;
  const mayBeOff = model.thinking.includes('disabled') && model.thinksByDefault === 'on';
  return {
    ...rest,
    thinking: mayBeOff ? ['enabled', 'disabled'] : ['enabled'],
    thinksByDefault: mayBeOff ? 'on' : 'off',
    efforts: [],
    takesSystemMessages: false,
    bindsThinking: false,
    structuredOutputs: false,
    serverTools: { webSearch: false, codeExecution: false },
    toolSearch: false,
  };
}

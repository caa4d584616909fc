import { isPlaceOfClaude } from '../../config/variable-forms.js';

/** A maker of models, whose package has the AI SDK's provider specification, version 4. */
export interface MakerKind {
  /** The setting of its key; `makerKeys` has those of makers that are not in this table. */
  key:
    | 'openaiKey'
    | 'googleKey'
    | 'xaiKey'
    | 'mistralKey'
    | 'deepseekKey'
    | 'groqKey'
    | 'localKey'
    | 'makerKeys';
  /** The npm package, which the operator installs. */
  package: string;
  /** The package's function that makes a provider. Undefined: the only one whose name begins with `create`. */
  create: string | undefined;
  /** The address of its API. Undefined: it must be named. */
  url: string | undefined;
  /** Whether a call can be held to one tool at a time. */
  mayHoldCalls: boolean;
  /** Whether the result of a tool may have files. */
  takesFilesInResults: boolean;
  /** Whether stop sequences take effect. */
  takesStops: boolean;
  /** The form of ids of calls, where it is narrower than 64 characters. */
  callIds?: 'nine';
  /** The option that sends requests with an equal beginning to where it is cached. Absent: the maker has none. */
  cacheKey?: string;
  /** Settings that the provider is made with, beside key, address and `fetch`. */
  settings?: Readonly<Record<string, boolean>>;
  /** Options that every call has, under the package's own name for them. */
  options?: Readonly<Record<string, Readonly<Record<string, boolean | null>>>>;
}

const usual = {
  mayHoldCalls: false,
  takesFilesInResults: false,
  takesStops: true,
} satisfies Partial<MakerKind>;

export const makerNames = [
  'openai',
  'google',
  'xai',
  'mistral',
  'deepseek',
  'groq',
  'local',
] as const;
export type MakerName = (typeof makerNames)[number];

export const makerKinds: Readonly<Record<MakerName, MakerKind>> = {
  openai: {
    ...usual,
    key: 'openaiKey',
    package: '@ai-sdk/openai',
    create: 'createOpenAI',
    url: 'https://api.openai.com/v1',
    mayHoldCalls: true,
    takesFilesInResults: true,
    takesStops: false,
    cacheKey: 'promptCacheKey',
    // Stored replies would be referred to by ids that the maker may forget. Summaries need an organisation that it has verified.
    options: { openai: { store: false, reasoningSummary: null } },
  },
  google: {
    ...usual,
    key: 'googleKey',
    package: '@ai-sdk/google',
    create: 'createGoogleGenerativeAI',
    url: 'https://generativelanguage.googleapis.com/v1beta',
    takesFilesInResults: true,
  },
  xai: {
    ...usual,
    key: 'xaiKey',
    package: '@ai-sdk/xai',
    create: 'createXai',
    url: 'https://api.x.ai/v1',
    mayHoldCalls: true,
    takesFilesInResults: true,
    takesStops: false,
    options: { xai: { store: false } },
  },
  mistral: {
    ...usual,
    key: 'mistralKey',
    package: '@ai-sdk/mistral',
    create: 'createMistral',
    url: 'https://api.mistral.ai/v1',
    mayHoldCalls: true,
    callIds: 'nine',
  },
  deepseek: {
    ...usual,
    key: 'deepseekKey',
    package: '@ai-sdk/deepseek',
    create: 'createDeepSeek',
    url: 'https://api.deepseek.com',
  },
  groq: {
    ...usual,
    key: 'groqKey',
    package: '@ai-sdk/groq',
    create: 'createGroq',
    url: 'https://api.groq.com/openai/v1',
    mayHoldCalls: true,
  },
  local: {
    ...usual,
    key: 'localKey',
    package: '@ai-sdk/openai-compatible',
    create: 'createOpenAICompatible',
    url: undefined,
    // Such servers count only where they are asked to.
    settings: { includeUsage: true },
  },
};

/** A maker by its package alone: nothing is known of what it takes beside the specification. */
export function makerOfPackage(name: string): MakerKind {
  return { ...usual, key: 'makerKeys', package: name, create: undefined, url: undefined };
}

/** The known maker or place of a name that the provider does not have: it would be another place's model. */
export function unlistedMaker(name: string): string | undefined {
  const { maker } = splitModel(name) ?? {};
  const isKnown =
    maker !== undefined && (isPlaceOfClaude(maker) || makerNames.some((one) => one === maker));
  return isKnown ? maker : undefined;
}

/** The maker in `maker/model`; undefined: the name has none. */
export function splitModel(name: string): { maker: string; id: string } | undefined {
  const at = name.indexOf('/');
  return at <= 0 ? undefined : { maker: name.slice(0, at), id: name.slice(at + 1) };
}

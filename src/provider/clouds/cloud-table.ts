import type { Config } from '../../config/config.js';
import type { CloudName } from '../../config/variable-forms.js';

/** The settings of the clouds. */
export type CloudSettings = Pick<
  Config,
  | 'awsRegion'
  | 'awsWorkspace'
  | 'vertexProject'
  | 'vertexRegion'
  | 'googleProject'
  | 'googleWorkspace'
  | 'foundryResource'
>;

/** The features of Claude that a cloud has. */
interface CloudFeatures {
  /** `some`: of models 4.5 and 4.6 alone. */
  structuredOutputs: 'all' | 'some' | 'none';
  webSearch: boolean;
  /** Pages are fetched and code is run by the provider. */
  webFetch: boolean;
  codeExecution: boolean;
  /** The provider searches for tools whose definitions are deferred. */
  toolSearch: boolean;
  /** Tools may be named by their type, as Anthropic's own memory tool. */
  typedTools: boolean;
  models: boolean;
  count: boolean;
}

const everything: CloudFeatures = {
  structuredOutputs: 'all',
  webSearch: true,
  webFetch: true,
  codeExecution: true,
  toolSearch: true,
  typedTools: true,
  models: true,
  count: true,
};

const little: CloudFeatures = {
  structuredOutputs: 'none',
  webSearch: false,
  webFetch: false,
  codeExecution: false,
  toolSearch: false,
  typedTools: false,
  models: false,
  count: true,
};

/** A place that has Claude behind a cloud's own addresses and credentials. */
export interface CloudKind {
  /** Anthropic's package for it, which the operator installs, and the package's class. */
  package: string;
  client: string;
  /** The settings that it needs. The address has each of them. */
  needs: readonly (keyof CloudSettings)[];
  /** The settings of its key: the first that is set is sent. */
  key?: 'bedrockKey' | 'awsKey' | 'foundryKey';
  /** How it authenticates who has no key. */
  credentials: { of: 'aws'; service: string } | { of: 'google' } | { of: 'azure' };
  url(settings: CloudSettings): string;
  features: CloudFeatures;
  /** The id under which the cloud has a model of Anthropic's name. */
  idOf(model: string): string;
  /** Whether a model costs a tenth more, as it does where data stays in a region. */
  isRegional(model: string, settings: CloudSettings): boolean;
  /** The version of the API in the body, for models that do not take the one of this build. */
  oldVersion?: string;
  /** Whether replies come in Amazon's framing, which the package makes server-sent events of. */
  hasFrames?: boolean;
  /** The name by OpenTelemetry's conventions. */
  traced: string;
}

const asNamed = (model: string): string => model;
const notRegional = (): boolean => false;

export const cloudKinds: Readonly<Record<CloudName, CloudKind>> = {
  bedrock: {
    package: '@anthropic-ai/bedrock-sdk',
    client: 'AnthropicBedrock',
    needs: ['awsRegion'],
    key: 'bedrockKey',
    credentials: { of: 'aws', service: 'bedrock' },
    url: ({ awsRegion }) => `https://bedrock-runtime.${awsRegion}.amazonaws.com`,
    features: { ...little, structuredOutputs: 'some', count: false },
    idOf: (model) => (isOfBedrock(model) ? model : `global.anthropic.${versioned(model)}`),
    isRegional: (model) => isOfBedrock(model) && !model.startsWith('global.'),
    oldVersion: 'bedrock-2023-05-31',
    hasFrames: true,
    traced: 'aws.bedrock',
  },
  mantle: {
    package: '@anthropic-ai/bedrock-sdk',
    client: 'AnthropicBedrockMantle',
    needs: ['awsRegion'],
    key: 'bedrockKey',
    credentials: { of: 'aws', service: 'bedrock-mantle' },
    url: ({ awsRegion }) => `https://bedrock-mantle.${awsRegion}.api.aws/anthropic`,
    features: { ...little, toolSearch: true },
    idOf: (model) => (isOfBedrock(model) ? model : `anthropic.${model}`),
    isRegional: () => true,
    traced: 'aws.bedrock',
  },
  aws: {
    package: '@anthropic-ai/aws-sdk',
    client: 'AnthropicAws',
    needs: ['awsRegion', 'awsWorkspace'],
    key: 'awsKey',
    credentials: { of: 'aws', service: 'aws-external-anthropic' },
    url: ({ awsRegion }) => `https://aws-external-anthropic.${awsRegion}.api.aws`,
    features: everything,
    idOf: asNamed,
    isRegional: notRegional,
    traced: 'anthropic',
  },
  vertex: {
    package: '@anthropic-ai/vertex-sdk',
    client: 'AnthropicVertex',
    needs: ['vertexProject', 'vertexRegion'],
    credentials: { of: 'google' },
    url: ({ vertexRegion }) => `https://${hostOfVertex(vertexRegion)}/v1`,
    features: { ...little, structuredOutputs: 'all', webSearch: true, toolSearch: true },
    idOf: (model) => model.replace(/-(\d{8})$/, '@$1'),
    isRegional: (_model, { vertexRegion }) => vertexRegion !== 'global',
    oldVersion: 'vertex-2023-10-16',
    traced: 'gcp.vertex_ai',
  },
  'google-cloud': {
    package: '@anthropic-ai/google-cloud-sdk',
    client: 'AnthropicGoogleCloud',
    needs: ['googleProject', 'googleWorkspace'],
    credentials: { of: 'google' },
    url: ({ googleProject, googleWorkspace }) =>
      `https://claude.googleapis.com/v1/projects/${googleProject}/locations/global/workspaces/${googleWorkspace}/invoke`,
    features: everything,
    idOf: asNamed,
    isRegional: notRegional,
    traced: 'anthropic',
  },
  foundry: {
    package: '@anthropic-ai/foundry-sdk',
    client: 'AnthropicFoundry',
    needs: ['foundryResource'],
    key: 'foundryKey',
    credentials: { of: 'azure' },
    url: ({ foundryResource }) => `https://${foundryResource}.services.ai.azure.com/anthropic`,
    // Deployments that Azure hosts have less than those of Anthropic, and nothing says which one it is.
    features: little,
    idOf: asNamed,
    isRegional: notRegional,
    traced: 'anthropic',
  },
};

function hostOfVertex(region: string): string {
  if (region === 'global') return 'aiplatform.googleapis.com';
  return region === 'us' || region === 'eu'
    ? `aiplatform.${region}.rep.googleapis.com`
    : `${region}-aiplatform.googleapis.com`;
}

/** Whether a name is Bedrock's own: `us.anthropic.claude-…`, or the ARN of a profile. */
function isOfBedrock(model: string): boolean {
  return /^arn:|^(?:[a-z]+\.)?anthropic\./.test(model);
}

/** Bedrock's ids of older models end with a version. */
function versioned(model: string): string {
  if (model === 'claude-opus-4-6') return `${model}-v1`;
  return /-\d{8}$/.test(model) ? `${model}-v1:0` : model;
}

/** Anthropic's name in the id that a cloud has for a model: `us.anthropic.claude-x-20250101-v1:0` → `claude-x-20250101`. */
export function nameIn(id: string): string {
  return id
    .replace(/^arn:.*\//, '')
    .replace(/^(?:[a-z]+\.)?anthropic\./, '')
    .replace(/-v\d+(?::\d+)?$/, '')
    .replace(/@default$/, '')
    .replace(/@(\d{8})$/, '-$1');
}

/** Whether a model is older than 4.7: the clouds may refuse it a later version of the API. */
export function isOld(id: string): boolean {
  return /^claude-(?:\d|(?:opus|sonnet|haiku)-(?:[0-3]|4(?:-[0-6])?)(?:-\d{8})?$)/.test(nameIn(id));
}

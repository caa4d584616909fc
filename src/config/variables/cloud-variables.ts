import { optional, secret, variable } from '../variable.js';
import * as z from 'zod/mini';

/** Variables of the clouds that have Claude, under the names that the clouds' own tools read. */
export const cloudVariables = {
  awsRegion: optional(
    ['AWS_REGION', 'AWS_DEFAULT_REGION'],
    'Region of `bedrock`, `mantle` and `aws`.',
  ),
  bedrockKey: secret(
    'AWS_BEARER_TOKEN_BEDROCK',
    'Bedrock API key of `bedrock` and `mantle`. Without it, requests are signed with the credentials that the AWS tools find.',
  ),
  awsWorkspace: optional('ANTHROPIC_AWS_WORKSPACE_ID', 'Workspace of `aws`.'),
  awsKey: secret(
    'ANTHROPIC_AWS_API_KEY',
    'Key of `aws`. Without it, requests are signed, as those to `bedrock`.',
  ),
  vertexProject: optional('ANTHROPIC_VERTEX_PROJECT_ID', 'Google Cloud project of `vertex`.'),
  vertexRegion: variable(
    'CLOUD_ML_REGION',
    {
      about: 'Region of `vertex`: `global`, `us`, `eu`, or one as `europe-west1`.',
      fallback: 'global',
    },
    z.string(),
  ),
  googleProject: optional(
    ['ANTHROPIC_GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_PROJECT'],
    'Google Cloud project of `google-cloud`.',
  ),
  googleWorkspace: optional('ANTHROPIC_GOOGLE_CLOUD_WORKSPACE_ID', 'Workspace of `google-cloud`.'),
  foundryResource: optional('ANTHROPIC_FOUNDRY_RESOURCE', 'Azure resource of `foundry`.'),
  foundryKey: secret(
    'ANTHROPIC_FOUNDRY_API_KEY',
    'Key of `foundry`. Without it, tokens of Microsoft Entra are used, which `@azure/identity` gets.',
  ),
};

import { describe, expect, it } from '@jest/globals';
import { cloudNames } from '../../config/variable-forms.js';
import { knownModels } from '../models/known-models.js';
import { describeInCloud, modelsOf, modelSent } from './cloud-models.js';
import { cloudKinds, nameIn, type CloudSettings } from './cloud-table.js';

const settings: CloudSettings = {
  awsRegion: 'eu-west-1',
  awsWorkspace: 'w1',
  vertexProject: 'p1',
  vertexRegion: 'global',
  googleProject: 'p1',
  googleWorkspace: 'w1',
  foundryResource: 'r1',
};
const { bedrock, mantle, vertex, foundry, aws } = cloudKinds;
const profile = 'arn:aws:bedrock:eu-west-1:1:application-inference-profile/abc';

describe('the name of a model in a request', () => {
  it.each([
    ['claude-opus-5-5', bedrock, { id: 'global.anthropic.claude-opus-5-5' }],
    [
      'claude-opus-4-6',
      bedrock,
      { id: 'global.anthropic.claude-opus-4-6-v1', version: 'bedrock-2023-05-31' },
    ],
    [
      'claude-haiku-4-5',
      bedrock,
      {
        id: 'global.anthropic.claude-haiku-4-5-20251001-v1:0',
        version: 'bedrock-2023-05-31',
      },
    ],
    [
      'us.anthropic.claude-haiku-4-5-20251001-v1:0',
      bedrock,
      { id: 'us.anthropic.claude-haiku-4-5-20251001-v1:0', version: 'bedrock-2023-05-31' },
    ],
    ['eu.anthropic.claude-opus-4-7', bedrock, { id: 'eu.anthropic.claude-opus-4-7' }],
    [profile, bedrock, { id: profile }],
    ['claude-opus-5-5', mantle, { id: 'anthropic.claude-opus-5-5' }],
    ['claude-opus-5-5', vertex, { id: 'claude-opus-5-5' }],
    ['claude-haiku-4-5', vertex, { id: 'claude-haiku-4-5@20251001', version: 'vertex-2023-10-16' }],
    ['our-deployment', foundry, { id: 'our-deployment' }],
    ['claude-haiku-4-5', aws, { id: 'claude-haiku-4-5-20251001' }],
  ])('%s', (name, kind, sent) => expect(modelSent(name, kind)).toEqual(sent));

  it.each(cloudNames)('of %s leads back to the same model', (cloud) => {
    const kind = cloudKinds[cloud];
    for (const { id } of knownModels) expect(nameIn(kind.idOf(id))).toBe(id);
  });
});

describe('a model in a cloud', () => {
  const find = (cloud: keyof typeof cloudKinds, id: string, more: Partial<CloudSettings> = {}) =>
    modelsOf(cloudKinds[cloud], { ...settings, ...more }).find((model) => model.id === id);

  it('has the features that the cloud has', () => {
    expect(find('bedrock', 'claude-opus-4-6')).toMatchObject({
      structuredOutputs: true,
      toolSearch: false,
      serverTools: { webSearch: false, webFetch: false, codeExecution: false },
    });
    expect(find('bedrock', 'claude-opus-4-7')).toMatchObject({ structuredOutputs: false });
    expect(find('vertex', 'claude-opus-5-5')).toMatchObject({
      structuredOutputs: true,
      toolSearch: true,
      serverTools: { webSearch: true, webFetch: false, codeExecution: false },
    });
    expect(find('aws', 'claude-opus-5-5')).toMatchObject({
      serverTools: { webSearch: true, webFetch: true, codeExecution: true },
    });
  });

  it('costs a tenth more where its data stays in a region, but for searches', () => {
    const [known] = knownModels.filter(({ id }) => id === 'claude-haiku-5-5');
    expect(find('vertex', 'claude-haiku-5-5')?.price).toEqual(known?.price);
    const { price } = find('vertex', 'claude-haiku-5-5', { vertexRegion: 'eu' }) ?? {};
    expect(price).toMatchObject({
      input: 0.11,
      output: 0.55,
      cacheRead: 0.011,
      webSearches: known?.price?.webSearches,
      longPrompt: { above: 100_000, input: 0.55, output: 2.75 },
    });
    const regional = describeInCloud('eu.anthropic.claude-opus-5-5', bedrock, settings);
    expect(regional).toMatchObject({ id: 'eu.anthropic.claude-opus-5-5', price: { input: 4.4 } });
    const global = describeInCloud('global.anthropic.claude-opus-5-5', bedrock, settings);
    expect(global).toMatchObject({ name: 'Claude Opus 5.5', price: { input: 4 } });
  });

  it('is not known by the name of a profile alone', () =>
    expect(describeInCloud(profile, bedrock, settings)).toBeUndefined());
});

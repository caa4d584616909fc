import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { newFolder } from '../../../test/support/suite.js';
import { parseConfig } from '../../config/config.js';
import { variables } from '../../config/variables.js';
import { cloudNames } from '../../config/variable-forms.js';
import { packageRoot } from '../../platform/process/package-root.js';
import { requestProfiles, urlOf } from '../anthropic/request-profile.js';
import { openCatalogue } from '../open-provider.js';
import { cloudKinds } from './cloud-table.js';

const page = readFileSync(`${packageRoot}/docs/operate/clouds.md`, 'utf8');
const rowsOf = (name: string) =>
  page.split('\n').filter((line) => /^\| [^|]*\|/.exec(line)?.[0].includes(`\`${name}\``));

describe('the page of clouds', () => {
  it.each(cloudNames)('has the package, the settings and the key of %s', (name) => {
    const { package: wanted, needs, key } = cloudKinds[name];
    const [place, credentials] = rowsOf(name);
    expect(place).toContain(`\`${wanted}\``);
    for (const setting of needs) expect(place).toContain(`\`${variables[setting].names[0]}\``);
    if (key !== undefined) expect(credentials).toContain(`\`${variables[key].names[0]}\``);
  });

  it('says which models cost more, and what is not there', () => {
    const settings = parseConfig({});
    const regional = cloudNames.filter((name) =>
      cloudKinds[name].isRegional('claude-opus-5-5', settings),
    );
    expect(regional).toEqual(['mantle']);
    const lacking = cloudNames.filter((name) => !cloudKinds[name].features.codeExecution);
    const rows = lacking.map((name) => rowsOf(name).at(-1));
    expect(rows.join('\n')).not.toContain('nothing');
    expect(rowsOf('aws').at(-1)).toContain('| nothing |');
  });

  it('has an entry that gives a deployment the facts of its model', async () => {
    const [, json = ''] = /```json\n([^`]+)```/.exec(page) ?? [];
    const file = path.join(newFolder(), 'models.json');
    writeFileSync(file, json);
    const config = parseConfig({ TURNPIKE_MODELS: file, TURNPIKE_PROVIDER_PROFILE: 'foundry' });
    const place = { profile: requestProfiles.foundry, mode: 'anthropic' } as const;
    const catalogue = await openCatalogue(config, place);
    const { id: _id, name: _name, ...known } = catalogue.describe('claude-sonnet-5-5');
    const { id, name, ...deployed } = catalogue.describe('our-deployment');
    expect([id, name, deployed]).toEqual(['our-deployment', 'our-deployment', known]);
    writeFileSync(file, '{"ours": {"sameAs": "claude-of-tomorrow"}}');
    await expect(openCatalogue(config, place)).rejects.toThrow(
      'TURNPIKE_MODELS: ours is the same as claude-of-tomorrow, which this version does not know',
    );
  });
});

describe('the address of a cloud', () => {
  it.each([
    ['bedrock', {}, 'https://bedrock-runtime.eu-west-1.amazonaws.com'],
    ['mantle', {}, 'https://bedrock-mantle.eu-west-1.api.aws/anthropic'],
    ['aws', {}, 'https://aws-external-anthropic.eu-west-1.api.aws'],
    ['vertex', {}, 'https://aiplatform.googleapis.com/v1'],
    ['vertex', { CLOUD_ML_REGION: 'eu' }, 'https://aiplatform.eu.rep.googleapis.com/v1'],
    [
      'vertex',
      { CLOUD_ML_REGION: 'europe-west1' },
      'https://europe-west1-aiplatform.googleapis.com/v1',
    ],
    [
      'google-cloud',
      {},
      'https://claude.googleapis.com/v1/projects/p1/locations/global/workspaces/w1/invoke',
    ],
    ['foundry', {}, 'https://r1.services.ai.azure.com/anthropic'],
  ] as const)('%s %j', (name, more, url) => {
    const config = parseConfig({
      AWS_REGION: 'eu-west-1',
      ANTHROPIC_GOOGLE_CLOUD_PROJECT: 'p1',
      ANTHROPIC_GOOGLE_CLOUD_WORKSPACE_ID: 'w1',
      ANTHROPIC_FOUNDRY_RESOURCE: 'r1',
      ...more,
    });
    expect(urlOf(name, config)).toBe(url);
  });
});

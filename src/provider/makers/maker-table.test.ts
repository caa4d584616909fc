import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { newFolder } from '../../../test/support/suite.js';
import { packageRoot } from '../../platform/process/package-root.js';
import { loadModels } from '../models/model-store.js';
import { modelRefused } from '../provider-errors.js';
import { makerKinds, makerNames, splitModel, unlistedMaker } from './maker-table.js';

const page = readFileSync(`${packageRoot}/docs/operate/other-makers.md`, 'utf8');

describe('the page of other makers', () => {
  it.each(makerNames)('has the package and the address of %s', (name) => {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\` |`));
    expect(row).toContain(`\`${makerKinds[name].package}\``);
    expect(row).toContain(makerKinds[name].url ?? 'local=http://127.0.0.1:8080/v1');
  });

  it('says who ignores stop sequences, and who takes files in results', () => {
    const namesOf = (is: (name: (typeof makerNames)[number]) => boolean) => makerNames.filter(is);
    expect(namesOf((name) => !makerKinds[name].takesStops)).toEqual(['openai', 'xai']);
    expect(page).toContain('are refused at OpenAI and xAI');
    expect(namesOf((name) => makerKinds[name].takesFilesInResults)).toEqual([
      'openai',
      'google',
      'xai',
    ]);
    expect(page).toContain('part of it at OpenAI, Google and xAI');
  });

  it('has an entry of a model that the server takes', async () => {
    const [, json = ''] = /echo '([^']+)'/.exec(page) ?? [];
    const file = path.join(newFolder(), 'models.json');
    writeFileSync(file, json);
    expect(await loadModels(file)).toMatchObject([{ id: 'openai/gpt-6-sol', maxOutput: 32_000 }]);
  });
});

describe('the maker of a model', () => {
  it('is named where it is known and not listed', () => {
    expect(unlistedMaker('openai/gpt-6')).toBe('openai');
    expect(unlistedMaker('acme/x')).toBeUndefined();
    expect(unlistedMaker('claude-opus-5-5')).toBeUndefined();
    const refused = { model: 'openai/gpt-6', useInstead: 'm' };
    expect(modelRefused('MODEL_NOT_FOUND', refused).message).toContain('TURNPIKE_MAKERS');
  });

  it.each([
    ['openai/gpt-6', { maker: 'openai', id: 'gpt-6' }],
    ['openrouter/openai/gpt-6', { maker: 'openrouter', id: 'openai/gpt-6' }],
    ['claude-opus-5-5', undefined],
    ['/x', undefined],
  ])('%s is %j', (name, expected) => expect(splitModel(name)).toEqual(expected));
});

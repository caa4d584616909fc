import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { packageRoot } from '../../platform/process/package-root.js';
import { newFolder } from '../../../test/support/suite.js';
import { loadModels } from '../models/model-store.js';
import { limitModel, requestProfiles } from './request-profile.js';

const page = readFileSync(`${packageRoot}/docs/operate/local-models.md`, 'utf8');
const others = Object.values(requestProfiles).filter(
  ({ name, cloud }) => !['anthropic', 'compatible'].includes(name) && cloud === undefined,
);

describe('the page of local models', () => {
  it.each(others)('has the command and the address of $name', ({ name, defaultUrl, needsKey }) => {
    const row = page
      .split('\n')
      .find((line) => line.includes(`TURNPIKE_PROVIDER_PROFILE=${name} `));
    expect(row).toContain(`\`${defaultUrl}\``);
    expect(row).toContain('TURNPIKE_MODEL=');
    expect(row?.includes('TURNPIKE_PROVIDER_KEY=')).toBe(needsKey);
  });

  it('has an entry of a model that the server takes', async () => {
    const [, block = ''] = /```json\n([^`]+)```/.exec(page) ?? [];
    const file = path.join(newFolder(), 'models.json');
    writeFileSync(file, block);
    expect(await loadModels(file)).toMatchObject([{ id: 'qwen3:8b', contextWindow: 131_072 }]);
  });

  it('has what a local model is taken to have', () => {
    const { contextWindow, maxOutput, price, seesImages, readsPdfs } =
      requestProfiles.ollama.describe('m');
    const [window, reply] = [contextWindow, maxOutput].map((tokens) => tokens.toLocaleString('en'));
    expect(page).toContain(`taken to have ${window} tokens, replies of ${reply},`);
    expect([price, seesImages, readsPdfs]).toEqual([{ input: 0, output: 0 }, false, false]);
  });
});

describe('a model of a server that is not Anthropic', () => {
  it('can be told not to think where it thinks by itself, and to think with a budget', () => {
    const { ollama, vllm } = requestProfiles;
    const thinks = limitModel(ollama.describe('m'), ollama);
    expect([thinks.thinking, thinks.thinksByDefault]).toEqual([['enabled', 'disabled'], 'on']);
    const quiet = limitModel(vllm.describe('m'), vllm);
    expect([quiet.thinking, quiet.thinksByDefault]).toEqual([['enabled'], 'off']);
  });
});

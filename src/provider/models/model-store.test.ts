import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, describe } from '@jest/globals';
import { useDatabase } from '../../../test/support/database/database.js';
import { models } from '../../storage/schema.js';
import { FileInvalidError } from '../../platform/parsing/load-file.js';
import { ModelStore, loadModels } from './model-store.js';
import { newFolder } from '../../../test/support/suite.js';

const database = useDatabase();

it('leaves out what another version stored and this one does not know', async () => {
  const described = { maxOutput: 5, isListed: true, thinking: ['enabled', 'dreaming'], taste: 'x' };
  const row = { source: 'here', id: 'claude-x', described, describedAt: new Date(0) };
  await database.db.insert(models).values(row);
  expect(await new ModelStore(database.db, 'here').find('claude-x')).toEqual({
    id: 'claude-x',
    maxOutput: 5,
    isListed: true,
    thinking: ['enabled'],
  });
});

describe('loadModels', () => {
  const folder = newFolder();

  const load = async (text: string) => {
    const file = path.join(folder, 'models.json');
    await writeFile(file, text);
    return loadModels(file);
  };

  it('has none without a file', async () => {
    expect(await loadModels(undefined)).toEqual([]);
  });

  it('loads models by id, each with the fields that differ', async () => {
    const price = { input: 1, output: 2, longPrompt: { above: 9, input: 3, output: 4 } };
    const given = { 'claude-sonnet-5-5': { price }, llama: { contextWindow: 8_192, thinking: [] } };
    expect(await load(JSON.stringify(given))).toEqual([
      { id: 'claude-sonnet-5-5', price },
      { id: 'llama', contextWindow: 8_192, thinking: [] },
    ]);
  });

  it.each([
    ['[]', 'models.json:1: the file must be a map'],
    ['{"llama":', 'it is no JSON'],
    ['{"a b":{}}', "a b is no model's id"],
    ['{"llama":1}', 'llama must be a map, not 1'],
    [
      '{"llama":{"contextWindow":"8k"}}',
      'llama.contextWindow must be a whole number from 1 to 1000000000, not "8k"',
    ],
    ['{"llama":{"window":8}}', 'llama.window is not a field; use name, '],
    ['{"llama":{"thinking":["deep"]}}', 'llama.thinking.0 must be one of adaptive, '],
    ['{"llama":{"price":{"input":1}}}', 'llama.price.output is required'],
    ['{"llama":{"efforts":["low","low"]}}', 'llama.efforts must have each value once'],
    ['{"llama":\n{"tokenScale":0}}', 'models.json:2: llama.tokenScale must be above 0'],
    ['{"llama":{"retiresAt":"soon"}}', 'llama.retiresAt must be a date, YYYY-MM-DD, not "soon"'],
  ])('refuses %s and says what is wrong', async (text, message) => {
    const failed = load(text);
    await expect(failed).rejects.toThrow(FileInvalidError);
    await expect(failed).rejects.toThrow(message);
  });

  it('says that the file does not exist', async () => {
    await expect(loadModels(path.join(folder, 'none.json'))).rejects.toThrow('ENOENT');
  });
});

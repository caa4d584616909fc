import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';

const read = (file: string): Promise<string> =>
  readFile(new URL(`../../${file}`, import.meta.url), 'utf8');

it('the image and the chart start a server as `npm start` does', async () => {
  const { scripts } = JSON.parse(await read('package.json')) as { scripts: { start: string } };
  const command = scripts.start.split(' ');
  const image = /^CMD (.*)$/m.exec(await read('Dockerfile'))?.[1];
  expect(JSON.parse(image ?? 'null')).toEqual(command);
  const chart = await read('deploy/helm/turnpike/templates/_pod.tpl');
  expect(chart).toContain(`command: [${command.join(', ')}]`);
});

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const readme = fileURLToPath(new URL('../../README.md', import.meta.url));

/** The blocks of the README that are marked `ts client`, in order. */
export function readExamples(): string[] {
  const text = readFileSync(readme, 'utf8');
  return [...text.matchAll(/^```ts client\n(.*?)^```$/gms)].map(([, code = '']) => code);
}

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const pages = ['README.md', 'docs/guide/client.md'];

/** Extracts the code blocks marked `ts client` from a document, in order. */
export function readExamples(): string[] {
  return pages.flatMap((page) => {
    const text = readFileSync(fileURLToPath(new URL(`../../${page}`, import.meta.url)), 'utf8');
    return [...text.matchAll(/^```ts client\n(.*?)^```$/gms)].map(([, code = '']) => code);
  });
}

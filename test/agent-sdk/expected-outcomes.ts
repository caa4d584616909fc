import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Outcome } from './normalise.js';
import { isJson } from './scripted-messages.js';

const fileOf = (group: string): string =>
  fileURLToPath(new URL(`expected/${group}.json`, import.meta.url));

/** What the real SDK gives for the cases of a group, by their names. */
export function expectedOutcomes(group: string): Record<string, Outcome> {
  const kept: unknown = JSON.parse(readFileSync(fileOf(group), 'utf8'));
  if (!isJson(kept)) throw new Error(`expected/${group}.json is no object of outcomes.`);
  return Object.fromEntries(
    Object.entries(kept).flatMap(([name, outcome]) => (isJson(outcome) ? [[name, outcome]] : [])),
  );
}

/** Keeps what the real SDK gives: a line for each aspect, so that a change can be read. */
export function keepOutcomes(
  group: string,
  outcomes: readonly (readonly [name: string, Outcome])[],
): void {
  const cases = outcomes.map(([name, outcome]) => {
    const lines = Object.entries(outcome).map(
      ([aspect, value]) => `    ${JSON.stringify(aspect)}: ${JSON.stringify(value)}`,
    );
    return `  ${JSON.stringify(name)}: {\n${lines.join(',\n')}\n  }`;
  });
  writeFileSync(fileOf(group), `{\n${cases.join(',\n')}\n}\n`);
}

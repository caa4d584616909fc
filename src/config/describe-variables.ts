import { variableGroups } from './variables.js';
import type { Variable } from './variable.js';

/** The configuration as Markdown, a table for each group of variables, for the documentation. */
export function describeVariables(): string {
  return Object.entries(variableGroups)
    .map(([title, group]) => `## ${title}\n\n${describeGroup(group)}`)
    .join('\n\n');
}

function describeGroup(group: Readonly<Record<string, Variable<unknown>>>): string {
  const rows = Object.values(group).map((variable) => {
    const [name, ...aliases] = variable.names;
    const also =
      aliases.length === 0
        ? ''
        : ` Also read as ${aliases.map((alias) => `\`${alias}\``).join(', ')}.`;
    return `| \`${name}\` | ${describeFallback(variable)} | ${variable.about}${also} |`;
  });
  return ['| variable | default | what it does |', '| --- | --- | --- |', ...rows].join('\n');
}

function describeFallback({ fallback, fallbackText }: Variable<unknown>): string {
  if (fallbackText !== undefined) return fallbackText;
  return ['string', 'number', 'boolean'].includes(typeof fallback) ? `\`${String(fallback)}\`` : '';
}

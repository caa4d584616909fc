import { variables } from './variables.js';
import type { Variable } from './variable.js';

/** The configuration as a Markdown table, for the documentation. */
export function describeVariables(): string {
  const rows = Object.values<Variable<unknown>>(variables).map((variable) => {
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
  return typeof fallback === 'string' || typeof fallback === 'number' ? `\`${fallback}\`` : '';
}

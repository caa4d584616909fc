import { settings } from './settings.js';
import type { Setting } from './setting.js';

/** The configuration as a Markdown table, for the documentation. */
export function describeSettings(): string {
  const rows = Object.values<Setting<unknown>>(settings).map((setting) => {
    const [name, ...aliases] = setting.names;
    const also =
      aliases.length === 0
        ? ''
        : ` Also read as ${aliases.map((alias) => `\`${alias}\``).join(', ')}.`;
    return `| \`${name}\` | ${describeFallback(setting)} | ${setting.about}${also} |`;
  });
  return ['| variable | default | what it does |', '| --- | --- | --- |', ...rows].join('\n');
}

function describeFallback({ fallback, fallbackText }: Setting<unknown>): string {
  if (fallbackText !== undefined) return fallbackText;
  return typeof fallback === 'string' || typeof fallback === 'number' ? `\`${fallback}\`` : '';
}

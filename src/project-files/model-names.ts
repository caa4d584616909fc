import type { Finding } from './finding.js';

/** Models that files and programs name in one word. The operator's default is another one where TURNPIKE_MODEL says so. */
const aliases: Readonly<Record<string, string>> = {
  opus: 'claude-opus-5-5',
  sonnet: 'claude-sonnet-5-5',
  haiku: 'claude-haiku-5-5',
};

/** The model here of a model there; no value: the default of the server, or of the parent. Pure. */
export function convertModel(given: string): Omit<Finding, 'file' | 'key'> & { value?: string } {
  const name = given.trim();
  const isLarge = /\[1m\]$/i.test(name);
  const plain = name.replace(/\s*\[1m\]$/i, '');
  if (plain === 'inherit' || plain === 'default') {
    return { verdict: 'same', how: 'the model of the turn, or the server’s default' };
  }
  const value = Object.hasOwn(aliases, plain) ? aliases[plain] : plain;
  if (
    value === undefined ||
    !/^[\w.:/@-]+$/.test(value) ||
    value === 'opusplan' ||
    value === 'best'
  ) {
    return {
      verdict: 'refused',
      how: `${JSON.stringify(given)} is no model here: name one, as claude-opus-5-5`,
    };
  }
  if (isLarge) return { value, verdict: 'mapped', how: `${value}: the window is the model’s own` };
  return { value, verdict: value === name ? 'same' : 'mapped', how: value };
}

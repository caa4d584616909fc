import type { EffectiveSetting } from '#src/client/turnpike-client.js';
import { formatCount } from '../../components/format.js';
import type { SettingLook } from './setting-looks.js';

const wireWords: Readonly<Record<string, string>> = {
  harness: 'console, command line and native API',
  'named-agents': 'named agents',
  'ag-ui': 'AG-UI',
  'ai-sdk': 'AI SDK',
  responses: 'Responses API',
  oracle: 'oracle API',
};

type ValueInForce = EffectiveSetting['effective']['harness'];

/** The value that turns of the console have, who set it, and the bound of this page where it is beyond that. Pure. */
export function describeInForce(
  { effective, schema }: Pick<EffectiveSetting, 'effective' | 'schema'>,
  look: SettingLook,
): string {
  const own = look.isOracleOwn === true ? effective.oracle : effective.harness;
  const now = `Now: ${valueWords(own, look)}.`;
  const { maximum } = schema;
  if (typeof own.value !== 'number' || maximum === undefined || own.value <= maximum) return now;
  return `${now} You can set at most ${formatCount(maximum)}${look.unit === '' ? '' : ` ${look.unit}`} here.`;
}

/** The values of each wire, where they differ. Pure. @returns undefined where all have the same. */
export function describeWires(
  { effective }: Pick<EffectiveSetting, 'effective'>,
  look: SettingLook,
): string | undefined {
  if (look.isOracleOwn === true) return undefined;
  const wiresOf = new Map<string, string[]>();
  for (const [wire, inForce] of Object.entries(effective)) {
    const words = valueWords(inForce, look);
    wiresOf.set(words, [...(wiresOf.get(words) ?? []), wireWords[wire] ?? wire]);
  }
  if (wiresOf.size === 1) return undefined;
  return [...wiresOf].map(([words, wires]) => `${listOf(wires)}: ${words}`).join('. ');
}

function valueWords({ value, from }: ValueInForce, { unit, none }: SettingLook): string {
  const words = plainWords(value, none);
  const measured = unit === '' || value === null ? words : `${words} ${unit}`;
  if (from === 'instructions') return `${measured} (set in AGENTS.md)`;
  if (from === 'environment') return `${measured} (set by the server)`;
  return from === 'default' ? `${measured} (default)` : measured;
}

function plainWords(value: ValueInForce['value'], none: string): string {
  if (value === null) return none;
  if (typeof value === 'number') return formatCount(value);
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : value;
}

function listOf(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

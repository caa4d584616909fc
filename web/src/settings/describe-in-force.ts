import type { EffectiveSetting } from '../../../src/client/turnpike-client.js';
import { formatCount } from '../ui/format.js';
import type { SettingLook } from './setting-looks.js';

const wireWords: Readonly<Record<string, string>> = {
  harness: 'the harness',
  'named-agents': 'named agents',
  'ag-ui': 'AG-UI',
  'ai-sdk': 'AI SDK',
  responses: 'Responses',
  oracle: 'the oracle',
};

type ValueInForce = EffectiveSetting['effective']['harness'];

/** The value in force: one for all wires, or each with its wires. Pure. */
export function describeInForce(
  { effective }: Pick<EffectiveSetting, 'effective'>,
  look: SettingLook,
): string {
  const wiresOf = new Map<string, string[]>();
  for (const [wire, inForce] of Object.entries(effective)) {
    const words = valueWords(inForce, look);
    wiresOf.set(words, [...(wiresOf.get(words) ?? []), wireWords[wire] ?? wire]);
  }
  const groups = [...wiresOf];
  const [[only] = ['']] = groups;
  const text =
    groups.length === 1
      ? `In force everywhere: ${only}.`
      : `In force: ${groups.map(([words, wires]) => `${words} for ${listOf(wires)}`).join('; ')}.`;
  return look.isConsoleOwn === true ? `${text} Turns of this console use its own switch.` : text;
}

function valueWords({ value, from }: ValueInForce, { unit, none }: SettingLook): string {
  const words = plainWords(value, none);
  const measured = unit === '' || value === null ? words : `${words} ${unit}`;
  if (from === 'instructions') return `${measured} (AGENTS.md)`;
  return from === 'environment' ? `${measured} (the server's)` : measured;
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

import type { ModelList } from '../../../src/client/turnpike-client.js';
import type { InputProps } from './number-input.js';
import type { SettingValue } from './user-settings.js';

interface Choice {
  value: SettingValue;
  words: string;
}

const switches: readonly Choice[] = [
  { value: true, words: 'On' },
  { value: false, words: 'Off' },
];

/** A choice: on or off, or a model. */
export function ChoiceInput({
  id,
  describedBy,
  hasProblem,
  value,
  type,
  models,
  onChange,
}: InputProps<SettingValue> & {
  type: 'boolean' | 'string' | 'integer';
  models: ModelList | undefined;
}) {
  const choices = type === 'boolean' ? switches : modelChoices(models, value);
  return (
    <select
      id={id}
      aria-describedby={describedBy}
      aria-invalid={hasProblem}
      value={value === undefined ? '' : String(value)}
      onChange={({ target }) =>
        onChange(choices.find((one) => String(one.value) === target.value)?.value)
      }
      className="h-9 w-52 rounded-lg border border-line-strong bg-panel px-2 text-sm aria-invalid:border-bad"
    >
      <option value="">Default</option>
      {choices.map(({ value: one, words }) => (
        <option key={String(one)} value={String(one)}>
          {words}
        </option>
      ))}
    </select>
  );
}

/** The listed models, and the saved one even if it is no longer listed. */
function modelChoices(models: ModelList | undefined, value: SettingValue | undefined): Choice[] {
  const listed = (models?.models ?? []).map(({ id, name }) => ({ value: id, words: name }));
  const isListed = value === undefined || listed.some((one) => one.value === value);
  return isListed ? listed : [...listed, { value, words: `${String(value)} (not listed)` }];
}

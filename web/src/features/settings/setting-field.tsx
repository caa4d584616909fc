import { useId, type ReactNode, useState } from 'react';
import type { EffectiveSetting, ModelList } from '#src/client/turnpike-client.js';
import { IconButton } from '../../components/button.js';
import { formatCount } from '../../components/format.js';
import { X } from '../../components/icons.js';
import { Slider } from '../../components/slider.js';
import { Tooltip } from '../../components/tooltip.js';
import { describeInForce, describeWires } from './describe-in-force.js';
import type { SettingLook } from './setting-looks.js';
import type { SettingValue } from './user-settings.js';

/** The draft or the saved value; undefined where it is not set. */
export interface EnteredSetting {
  setting: EffectiveSetting;
  value: SettingValue | undefined;
  problem: string | undefined;
}

/** A setting: its control, the value in force, and its fault. */
export function SettingField({
  entered: { setting, value, problem },
  look,
  models,
  onChange,
}: {
  entered: EnteredSetting;
  look: SettingLook;
  models: ModelList | undefined;
  /** @param value undefined resets the setting. */
  onChange: (value: SettingValue | undefined) => void;
}) {
  const { schema } = setting;
  const id = useId();
  const isSet = value !== undefined;
  const shared = {
    id,
    describedBy: `${id}-about ${id}-problem`,
    hasProblem: problem !== undefined,
  };
  const isNumber = schema.type === 'integer';
  const { minimum: min = 0, maximum: max = 0 } = schema;
  const number = typeof value === 'number' ? value : undefined;
  const wires = describeWires(setting, look);
  const { value: inForce } = setting.effective.harness;
  const shown = typeof inForce === 'number' ? inForce : undefined;
  return (
    <div className="grid gap-x-6 gap-y-1 px-4 py-4 sm:grid-cols-[1fr_auto]">
      <div className="min-w-0">
        <label id={`${id}-label`} htmlFor={id} className="text-sm font-medium">
          {look.label}
        </label>
        <p id={`${id}-about`} className="text-xs text-muted">
          {schema.description}
          {look.about !== undefined && ` ${look.about}`}
          <span className="block text-soft">
            {describeInForce(setting, look)}
            {wires !== undefined && (
              <Tooltip text={wires}>
                <button type="button" className="ml-1.5 text-muted underline decoration-dotted">
                  Other for other APIs
                </button>
              </Tooltip>
            )}
          </span>
        </p>
      </div>
      <Entry
        {...(isSet ? { onClear: () => onChange(undefined) } : {})}
        label={look.label}
        unit={look.unit}
      >
        {isNumber ? (
          <NumberInput
            {...shared}
            {...{ min, max, value: number, onChange }}
            placeholder={shown === undefined ? 'none' : String(shown)}
          />
        ) : (
          <ChoiceInput {...shared} {...{ type: schema.type, value, models, onChange }} />
        )}
      </Entry>
      {isNumber && (
        <div>
          <Slider
            labelledBy={`${id}-label`}
            // No limit is more than any.
            value={number ?? shown ?? max}
            valueText={isSet ? undefined : describeInForce(setting, look)}
            min={min}
            max={max}
            step={look.step}
            onChange={onChange}
          />
          <div
            aria-hidden
            className="flex justify-between text-[0.6875rem] text-muted tabular-nums"
          >
            <span>{formatCount(min)}</span>
            <span>{formatCount(max)}</span>
          </div>
        </div>
      )}
      <p id={`${id}-problem`} role="alert" className="text-xs text-bad empty:hidden sm:col-span-2">
        {problem}
      </p>
    </div>
  );
}

function Entry({
  label,
  unit,
  onClear,
  children,
}: {
  label: string;
  unit: string;
  onClear?: () => void;
  children: ReactNode;
}) {
  return (
    <div className="flex items-center gap-2 sm:row-span-2 sm:self-center">
      {children}
      <span className="w-10 text-xs text-muted">{unit}</span>
      <span className="size-8">
        {onClear !== undefined && (
          <IconButton label={`Reset ${label}`} onClick={onClear}>
            <X size={14} />
          </IconButton>
        )}
      </span>
    </div>
  );
}

interface InputProps<T> {
  id: string;
  describedBy: string;
  hasProblem: boolean;
  /** Undefined where it is not set. */
  value: T | undefined;
  onChange: (value: T | undefined) => void;
}

/** A number field; empty for no value. */
function NumberInput({
  id,
  describedBy,
  hasProblem,
  value,
  min,
  max,
  placeholder,
  onChange,
}: InputProps<number> & {
  min: number;
  max: number;
  /** The value in force where none is set. */
  placeholder: string;
}) {
  // The text while it is edited: it may not be a number yet.
  const [text, setText] = useState<string>();
  return (
    <input
      id={id}
      type="number"
      inputMode="numeric"
      min={min}
      max={max}
      value={text ?? value ?? ''}
      placeholder={placeholder}
      aria-describedby={describedBy}
      aria-invalid={hasProblem}
      onChange={({ target }) => {
        setText(target.value);
        if (target.value.trim() !== '') onChange(Number(target.value));
      }}
      onBlur={() => {
        if (text !== undefined && text.trim() === '') onChange(undefined);
        setText(undefined);
      }}
      className="h-9 w-24 rounded-lg border border-line-strong bg-panel px-2 text-right text-sm tabular-nums aria-invalid:border-bad"
    />
  );
}

interface Choice {
  value: SettingValue;
  words: string;
}

const switches: readonly Choice[] = [
  { value: true, words: 'On' },
  { value: false, words: 'Off' },
];

/** A choice: on or off, or a model. */
function ChoiceInput({
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

import { useId, useState } from 'react';
import type { AgentConfigField } from '../../../src/governance/agent-config.js';
import { formatCount } from '../ui/format.js';
import { Slider } from '../ui/slider.js';

/** How a field is shown: what it is called, and by how much the slider moves. */
export interface FieldLook {
  label: string;
  step: number;
  unit: string;
}

/** One limit: a slider and a number, with its bounds, and what is wrong with it. */
export function SettingField({
  field,
  look,
  value,
  problem,
  onChange,
}: {
  field: AgentConfigField;
  look: FieldLook;
  value: number;
  problem: string | undefined;
  onChange: (value: number) => void;
}) {
  const { min, max, meaning } = field;
  const { label, step, unit } = look;
  const id = useId();
  // What stands in the field while it is no number yet.
  const [text, setText] = useState<string>();
  const about = `${id}-about ${id}-problem`;
  return (
    <div className="grid gap-x-6 gap-y-1 px-4 py-4 sm:grid-cols-[1fr_8.5rem]">
      <div className="min-w-0">
        <label id={`${id}-label`} htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        <p id={`${id}-about`} className="text-xs text-muted">
          {meaning} {formatCount(min)} to {formatCount(max)}; default {formatCount(field.default)}.
        </p>
      </div>
      <div className="flex items-center gap-2 sm:row-span-2 sm:self-center">
        <input
          id={id}
          type="number"
          inputMode="numeric"
          min={min}
          max={max}
          step={step === 1_000 ? 1_000 : 1}
          value={text ?? String(value)}
          aria-describedby={about}
          aria-invalid={problem !== undefined}
          onChange={({ target }) => {
            setText(target.value);
            if (target.value.trim() !== '') onChange(Number(target.value));
          }}
          onBlur={() => setText(undefined)}
          className="h-9 w-24 rounded-lg border border-line-strong bg-panel px-2 text-right text-sm tabular-nums aria-invalid:border-bad"
        />
        <span className="text-xs text-muted">{unit}</span>
      </div>
      <div>
        <Slider
          labelledBy={`${id}-label`}
          value={value}
          min={min}
          max={max}
          step={step}
          onChange={(next) => {
            setText(undefined);
            onChange(next);
          }}
        />
        <div aria-hidden className="flex justify-between text-[0.6875rem] text-muted tabular-nums">
          <span>{formatCount(min)}</span>
          <span>{formatCount(max)}</span>
        </div>
      </div>
      <p id={`${id}-problem`} role="alert" className="text-xs text-bad empty:hidden sm:col-span-2">
        {problem}
      </p>
    </div>
  );
}

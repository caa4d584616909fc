import { useState } from 'react';

export interface InputProps<T> {
  id: string;
  describedBy: string;
  hasProblem: boolean;
  /** Undefined where it is not set. */
  value: T | undefined;
  onChange: (value: T | undefined) => void;
}

/** A number field; empty for no value. */
export function NumberInput({
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
  // The text while the field is edited: not every state of it is a number.
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

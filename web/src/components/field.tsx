import { useId, type ReactNode } from 'react';

/** The attributes of a form's control, which tie it to its label and its words. */
export interface ControlProps {
  id: string;
  className: string;
  'aria-describedby': string;
  'aria-invalid': boolean;
}

/** A control of a form with its label, a line about it, and its fault. */
export function Field({
  label,
  about,
  problem,
  className = '',
  children,
}: {
  label: string;
  about?: ReactNode;
  problem?: string | undefined;
  className?: string;
  children: (control: ControlProps) => ReactNode;
}) {
  const id = useId();
  return (
    <div className={`min-w-0 ${className}`}>
      <label htmlFor={id} className="mb-1 block text-xs font-medium">
        {label}
      </label>
      {children({
        id,
        className:
          'w-full rounded-lg border border-line-strong bg-panel px-2.5 py-1.5 text-sm aria-invalid:border-bad',
        'aria-describedby': `${id}-about ${id}-problem`,
        'aria-invalid': problem !== undefined,
      })}
      <p id={`${id}-about`} className="mt-1.5 text-xs text-muted empty:hidden">
        {about}
      </p>
      <p id={`${id}-problem`} role="alert" className="mt-1.5 text-xs text-bad empty:hidden">
        {problem}
      </p>
    </div>
  );
}

/** Boxes to tick, each of which stands for a value. */
export function CheckList<T extends string>({
  legend,
  words,
  chosen,
  onChange,
}: {
  legend: string;
  /** What each value means, in the order of the list. */
  words: Readonly<Record<T, string>>;
  chosen: readonly T[];
  /** @param chosen in the order of the list. */
  onChange: (chosen: readonly T[]) => void;
}) {
  const values = Object.keys(words) as T[];
  return (
    <fieldset>
      <legend className="mb-1 text-xs font-medium">{legend}</legend>
      {values.map((value) => (
        <label key={value} className="flex items-center gap-2 text-sm">
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={({ target }) =>
              onChange(
                values.filter((one) => (one === value ? target.checked : chosen.includes(one))),
              )
            }
            className="accent-accent"
          />
          {words[value]} <code className="text-xs text-muted">{value}</code>
        </label>
      ))}
    </fieldset>
  );
}

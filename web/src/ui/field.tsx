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
      <p id={`${id}-about`} className="mt-0.5 text-xs text-muted empty:hidden">
        {about}
      </p>
      <p id={`${id}-problem`} role="alert" className="mt-0.5 text-xs text-bad empty:hidden">
        {problem}
      </p>
    </div>
  );
}

import type { ComponentProps } from 'react';

type Look = 'plain' | 'main' | 'quiet' | 'bad';

const looks: Record<Look, string> = {
  plain: 'border border-line bg-panel text-ink hover:bg-sunken',
  main: 'border border-transparent bg-accent text-on-accent hover:brightness-110',
  quiet: 'border border-transparent text-soft hover:bg-sunken hover:text-ink',
  bad: 'border border-line bg-panel text-bad hover:bg-bad-wash',
};

const base =
  'inline-flex items-center justify-center gap-1.5 rounded-lg text-sm font-medium whitespace-nowrap transition-colors disabled:opacity-50';

export function Button({
  look = 'plain',
  className = '',
  ...props
}: ComponentProps<'button'> & { look?: Look }) {
  return (
    <button type="button" {...props} className={`${base} h-8 px-3 ${looks[look]} ${className}`} />
  );
}

/** A button with a picture alone; `label` is its name. */
export function IconButton({
  look = 'quiet',
  label,
  className = '',
  ...props
}: Omit<ComponentProps<'button'>, 'aria-label'> & { look?: Look; label: string }) {
  return (
    <button
      type="button"
      title={label}
      {...props}
      aria-label={label}
      className={`${base} size-8 ${looks[look]} ${className}`}
    />
  );
}

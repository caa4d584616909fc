import type { ReactNode } from 'react';

/** A switch that shows a word; one with a picture shows that alone on a phone. */
export function Toggle({
  label,
  isOn,
  onChange,
  children,
}: {
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  children?: ReactNode;
}) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={() => onChange(!isOn)}
      className={`relative inline-flex h-7 items-center gap-1.5 rounded-full px-2.5 text-xs font-medium transition-colors ${
        isOn ? 'bg-accent-wash text-accent-ink' : 'text-muted hover:bg-sunken hover:text-ink'
      }`}
    >
      {children}
      {children === undefined ? label : <span className="max-sm:sr-only">{label}</span>}
    </button>
  );
}

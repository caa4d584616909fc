import { LoaderCircle } from './icons.js';

export function Spinner({
  size = 14,
  className = 'text-accent-ink',
}: {
  size?: number;
  className?: string;
}) {
  return <LoaderCircle aria-hidden size={size} className={`shrink-0 animate-spin ${className}`} />;
}

import { LoaderCircle } from './icons/icons.js';

export function Spinner({ size = 14 }: { size?: number }) {
  return <LoaderCircle aria-hidden size={size} className="shrink-0 animate-spin text-accent-ink" />;
}

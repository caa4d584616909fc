import { useState } from 'react';
import { IconButton } from './button.js';
import { Check, Copy } from './icons.js';

/** Copies a text. Its label says “Copied” until it loses the focus. */
export function CopyButton({
  text,
  label = 'Copy',
  className = '',
}: {
  text: () => string;
  label?: string;
  className?: string;
}) {
  const [isCopied, setCopied] = useState(false);
  return (
    <IconButton
      label={isCopied ? 'Copied' : label}
      className={className}
      onClick={() => void navigator.clipboard.writeText(text()).then(() => setCopied(true))}
      onBlur={() => setCopied(false)}
    >
      {isCopied ? <Check size={14} /> : <Copy size={14} />}
    </IconButton>
  );
}

import { useState, type ComponentProps } from 'react';
import { Button } from './button.js';
import { Trash2 } from './icons/icons.js';

/** A button that deletes: the first press asks, the second one acts, and leaving it takes the question back. */
export function SureButton({
  label = 'Delete',
  question,
  onSure,
  ...props
}: Omit<ComponentProps<typeof Button>, 'onClick' | 'onBlur' | 'look'> & {
  label?: string;
  /** The words of the second press. */
  question: string;
  onSure: () => void;
}) {
  const [isSure, setSure] = useState(false);
  return (
    <Button
      {...props}
      look="bad"
      onClick={isSure ? onSure : () => setSure(true)}
      onBlur={() => setSure(false)}
    >
      <Trash2 aria-hidden size={14} /> {isSure ? question : label}
    </Button>
  );
}

import * as Radix from '@radix-ui/react-tooltip';
import type { ReactNode } from 'react';

/** What tooltips share: the second one opens at once. */
export const TooltipProvider = Radix.Provider;

/** A hint about a control, on hover and focus; the control needs a name of its own. */
export function Tooltip({ text, children }: { text: ReactNode; children: ReactNode }) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          sideOffset={6}
          collisionPadding={8}
          className="z-50 max-w-72 rounded-md bg-ink px-2 py-1 text-xs text-canvas shadow-lg"
        >
          {text}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

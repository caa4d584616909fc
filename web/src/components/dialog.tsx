import { X } from './icons.js';
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { IconButton } from './button.js';

const firstControls = '[data-first], input:not([type=file]), textarea, select';

/**
 * The browser's modal dialog: it traps and restores the focus, closes on Escape, and needs no inline
 * style, which the page's policy refuses.
 */
export function Dialog({
  title,
  isWide = false,
  onClose,
  children,
}: {
  title: string;
  /** The dialog takes the width of the page. Default: false. */
  isWide?: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const titleId = useId();
  useEffect(() => {
    element.current?.showModal();
    // The browser would choose the button that closes.
    content.current?.querySelector<HTMLElement>(firstControls)?.focus();
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={titleId}
      onClose={onClose}
      onClick={(event) => {
        // The second click of a double click was meant for what opened the dialog.
        if (event.target === element.current && event.detail < 2) element.current.close();
      }}
      className={`m-auto w-full ${isWide ? 'max-w-6xl' : 'max-w-md'} rounded-2xl border border-line bg-panel p-0 text-left whitespace-normal text-ink shadow-2xl max-sm:mb-0 max-sm:max-w-full max-sm:rounded-b-none`}
    >
      <div className="p-5">
        <div className="mb-3 flex items-start justify-between gap-4">
          <h2 id={titleId} className="text-base font-semibold">
            {title}
          </h2>
          <IconButton
            label="Close"
            className="-mt-1 -mr-1"
            onClick={() => element.current?.close()}
          >
            <X size={16} />
          </IconButton>
        </div>
        <div ref={content}>{children}</div>
      </div>
    </dialog>
  );
}

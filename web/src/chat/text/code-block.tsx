import { Check, Copy } from '../../ui/icons/icons.js';
import { isValidElement, useRef, useState, type ReactNode } from 'react';

const frame =
  'overflow-x-auto rounded-lg border border-line bg-panel p-3 font-mono text-[0.8125rem] leading-relaxed';

/** A complete code block with a copy button. */
export function CodeBlock({ children }: { children?: ReactNode }) {
  const element = useRef<HTMLPreElement>(null);
  const language = languageOf(children);
  return (
    <figure className="group relative">
      <pre
        ref={element}
        tabIndex={0}
        aria-label={language === '' ? 'Code' : `Code: ${language}`}
        className={frame}
      >
        {children}
      </pre>
      <CopyButton text={() => element.current?.textContent ?? ''} />
    </figure>
  );
}

/** A code block that still streams, without colours, which would flicker. */
export function OpenCode({ language, text }: { language: string; text: string }) {
  return (
    <figure className="group relative">
      <pre
        tabIndex={0}
        aria-label={language === '' ? 'Code' : `Code: ${language}`}
        className={frame}
      >
        <code>{text}</code>
      </pre>
    </figure>
  );
}

export function CopyButton({ text }: { text: () => string }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <button
      type="button"
      aria-label={isCopied ? 'Copied' : 'Copy'}
      title="Copy"
      onClick={() => void navigator.clipboard.writeText(text()).then(() => setCopied(true))}
      onBlur={() => setCopied(false)}
      className="absolute top-2 right-2 grid size-7 place-items-center rounded-md border border-line bg-panel text-muted opacity-0 transition-opacity group-hover:opacity-100 hover:text-ink focus-visible:opacity-100"
    >
      {isCopied ? <Check size={14} /> : <Copy size={14} />}
    </button>
  );
}

function languageOf(code: ReactNode): string {
  if (!isValidElement<{ className?: string }>(code)) return '';
  return /language-(\S+)/.exec(code.props.className ?? '')?.[1] ?? '';
}

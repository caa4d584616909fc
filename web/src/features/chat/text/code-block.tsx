import { isValidElement, Suspense, useRef, type ReactNode, type RefObject } from 'react';
import { lazyPart } from '../../../components/lazy-part.js';
import { CopyButton } from '../../../components/copy-button.js';

const Diagram = lazyPart(async () => (await import('./diagram.js')).Diagram);

/** A complete code block; a diagram of Mermaid is drawn. */
export function CodeBlock({ children }: { children?: ReactNode }) {
  const element = useRef<HTMLPreElement>(null);
  const language = languageOf(children);
  const block = (
    <CodeFrame language={language} element={element}>
      {children}
    </CodeFrame>
  );
  if (language !== 'mermaid') return block;
  return (
    <Suspense fallback={block}>
      <Diagram code={textOf(children)}>{block}</Diagram>
    </Suspense>
  );
}

/** A code block that still streams, without colours, which would flicker. */
export function OpenCode({ language, text }: { language: string; text: string }) {
  const element = useRef<HTMLPreElement>(null);
  return (
    <CodeFrame language={language} element={element}>
      <code>{text}</code>
    </CodeFrame>
  );
}

function CodeFrame({
  language,
  element,
  children,
}: {
  language: string;
  element: RefObject<HTMLPreElement | null>;
  children: ReactNode;
}) {
  return (
    <figure className="overflow-hidden rounded-lg border border-line bg-panel">
      <figcaption className="flex h-8 items-center justify-between border-b border-line pr-0.5 pl-3 text-xs text-muted">
        {language === '' ? 'Code' : language}
        <CopyButton text={() => element.current?.textContent ?? ''} className="size-7!" />
      </figcaption>
      <pre
        ref={element}
        tabIndex={0}
        aria-label={language === '' ? 'Code' : `Code: ${language}`}
        className="m-0! overflow-x-auto p-3 font-mono text-[0.8125rem] leading-relaxed"
      >
        {children}
      </pre>
    </figure>
  );
}

function languageOf(code: ReactNode): string {
  if (!isValidElement<{ className?: string }>(code)) return '';
  return /language-(\S+)/.exec(code.props.className ?? '')?.[1] ?? '';
}

/** The text of a block that no highlighter has coloured. */
function textOf(code: ReactNode): string {
  if (!isValidElement<{ children?: unknown }>(code)) return '';
  const { children } = code.props;
  return typeof children === 'string' ? children : '';
}

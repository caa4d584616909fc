import { useEffect, useState, type ReactNode } from 'react';
import { useValue } from '../../../hooks/value-store.js';
import { themeChoice } from '../../../app/theme.js';
import { drawDiagram } from './draw-diagram.js';

/** A diagram of Mermaid as a picture, with its text on demand; where it cannot be drawn, the text alone. */
export function Diagram({ code, children }: { code: string; children: ReactNode }) {
  const [url, setUrl] = useState<string>();
  // The picture has the colours of the theme that it was drawn in.
  const theme = useValue(themeChoice);
  useEffect(() => {
    let isGone = false;
    let made: string | undefined;
    const draw = async (): Promise<void> => {
      const svg = await drawDiagram(code);
      if (isGone) return;
      made = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
      setUrl(made);
    };
    // The text is shown: a model's diagram may be wrong.
    draw().catch(() => setUrl(undefined));
    return () => {
      isGone = true;
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [code, theme]);
  if (url === undefined) return children;
  return (
    <figure className="rounded-lg border border-line bg-panel">
      <img src={url} alt="Diagram" className="mx-auto max-h-128 p-3" />
      <details className="border-t border-line px-3 py-1.5 text-xs text-muted">
        <summary>Text of the diagram</summary>
        <div className="mt-2">{children}</div>
      </details>
    </figure>
  );
}

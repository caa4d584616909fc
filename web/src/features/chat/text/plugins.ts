import { useEffect } from 'react';
import type { Options } from 'react-markdown';
import { noteFault } from '../../../api/connection.js';
import { useValue, ValueStore } from '../../../hooks/value-store.js';

type Remark = NonNullable<Options['remarkPlugins']>;
type Rehype = NonNullable<Options['rehypePlugins']>;

interface Plugins {
  remark: Remark;
  rehype: Rehype;
}

const none: Plugins = { remark: [], rehype: [] };

/** Plugins that are loaded for the first text that needs them. Each is larger than the rest of the page. */
class LazyPlugins {
  readonly store = new ValueStore<Plugins>(none);
  #isRequested = false;

  constructor(private readonly load: () => Promise<Plugins>) {}

  request(): void {
    if (this.#isRequested) return;
    this.#isRequested = true;
    this.load().then(
      (plugins) => this.store.set(plugins),
      (fault: unknown) => {
        // The text is shown without them. The next text tries again.
        this.#isRequested = false;
        noteFault(fault);
      },
    );
  }
}

const highlighter = new LazyPlugins(async () => {
  const { highlightCode } = await import('./highlight-code.js');
  return { remark: [], rehype: [highlightCode] };
});

const formulas = new LazyPlugins(async () => {
  const [{ default: math }, { default: katex }] = await Promise.all([
    import('remark-math'),
    import('rehype-katex'),
  ]);
  // MathML needs none of the library's styles and fonts.
  return { remark: [math], rehype: [[katex, { output: 'mathml', throwOnError: false }]] };
});

/** The plugins that a text needs, as far as they are loaded. */
export function usePlugins(text: string): Plugins {
  const code = usePlugin(highlighter, text.includes('```') || text.includes('~~~'));
  const math = usePlugin(formulas, hasFormula(text));
  return {
    remark: math.remark,
    // Formulas first: the highlighter would take them for code.
    rehype: [...math.rehype, ...code.rehype],
  };
}

function usePlugin(plugins: LazyPlugins, isNeeded: boolean): Plugins {
  useEffect(() => {
    if (isNeeded) plugins.request();
  }, [plugins, isNeeded]);
  const loaded = useValue(plugins.store);
  return isNeeded ? loaded : none;
}

/** Whether a text has LaTeX: `$$…$$`, `$x^2$`, `\(…\)` or `\[…\]`; a price has no such form. Pure. */
export function hasFormula(text: string): boolean {
  return (
    /\$\$[\s\S]+?\$\$/.test(text) ||
    /\\\([\s\S]+?\\\)|\\\[[\s\S]+?\\\]/.test(text) ||
    /(?<![\\$\w])\$(?=\S)[^$\n]*?[^\s\\$]\$(?![\d$])/.test(text)
  );
}

/** LaTeX's own brackets as dollars, which the parser knows; code stays as it is. Pure. */
export function dollarFormulas(text: string): string {
  return text
    .split(/(```[\s\S]*?(?:```|$)|`[^`\n]*`)/)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part
            .replace(
              /\\\[([\s\S]+?)\\\]/g,
              (_all, formula: string) => `\n$$\n${formula.trim()}\n$$\n`,
            )
            .replace(/\\\(([\s\S]+?)\\\)/g, (_all, formula: string) => `$${formula.trim()}$`),
    )
    .join('');
}

/** The page that draws: Mermaid writes styles into its document, which the console's own policy refuses. */
const PAGE = '/diagram.html';

/** Milliseconds for a diagram to be drawn. */
const PATIENCE_MS = 20_000;

interface Answer {
  id: number;
  svg?: string;
  error?: string;
}

let opened: Promise<Window> | undefined;
let count = 0;

/** Draws a diagram of Mermaid. @returns SVG. @throws Error if the text is no diagram. */
export async function drawDiagram(code: string): Promise<string> {
  opened ??= openPage();
  const page = await opened;
  count += 1;
  const id = count;
  const isDark = document.documentElement.dataset['theme'] === 'dark';
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => settle({ id, error: 'The diagram took too long' }), PATIENCE_MS);
    const settle = ({ svg, error = 'The diagram is empty' }: Answer): void => {
      clearTimeout(timer);
      removeEventListener('message', listen);
      if (svg === undefined) reject(new Error(error));
      else resolve(svg);
    };
    const listen = ({ source, data }: MessageEvent<Answer>): void => {
      if (source === page && data.id === id) settle(data);
    };
    addEventListener('message', listen);
    page.postMessage({ id, code, isDark }, location.origin);
  });
}

function openPage(): Promise<Window> {
  const frame = document.createElement('iframe');
  frame.src = PAGE;
  frame.title = 'Draws diagrams';
  frame.tabIndex = -1;
  frame.ariaHidden = 'true';
  // It must have a size: texts are measured in it.
  frame.className =
    'pointer-events-none fixed top-0 -left-[2000px] h-[1200px] w-[1600px] opacity-0';
  return new Promise((resolve) => {
    const listen = ({ source, data }: MessageEvent<{ isReady?: boolean }>): void => {
      const page = frame.contentWindow;
      if (page === null || source !== page || data.isReady !== true) return;
      removeEventListener('message', listen);
      resolve(page);
    };
    addEventListener('message', listen);
    document.body.append(frame);
  });
}

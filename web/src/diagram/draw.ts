// The whole library in one file, without mindmaps and architecture diagrams, which need 130 MB of packages. It is a
// script and no module: it sets a global variable, and has no types.
import library from '@mermaid-js/tiny?url';

declare const mermaid: {
  initialize(config: Record<string, unknown>): void;
  render(id: string, code: string): Promise<{ svg: string }>;
};

interface Request {
  id: number;
  code: string;
  isDark: boolean;
}

const script = document.createElement('script');
script.src = library;
script.addEventListener('load', () => answer({ isReady: true }));
document.head.append(script);

/** Draws the diagrams that the console requests, one after the other: the library has one global configuration. */
let last: Promise<void> = Promise.resolve();

addEventListener('message', ({ source, origin, data }: MessageEvent<Request>) => {
  if (source !== parent || origin !== location.origin) return;
  last = last.then(() => draw(data));
});

async function draw({ id, code, isDark }: Request): Promise<void> {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    theme: isDark ? 'dark' : 'neutral',
    fontFamily: 'system-ui, sans-serif',
    // A picture shows no HTML of other namespaces.
    htmlLabels: false,
    flowchart: { htmlLabels: false },
  });
  try {
    const { svg } = await mermaid.render(`diagram-${id}`, code);
    answer({ id, svg: withSize(svg) });
  } catch (error) {
    document.body.replaceChildren();
    answer({ id, error: error instanceof Error ? error.message : String(error) });
  }
}

/** The drawing with the size of its view box: a picture of 100 % has none. */
function withSize(svg: string): string {
  const page = new DOMParser().parseFromString(svg, 'text/html');
  const drawing = page.querySelector('svg');
  const [, , width, height] = drawing?.getAttribute('viewBox')?.split(/\s+/) ?? [];
  if (drawing === null || width === undefined || height === undefined) return svg;
  drawing.setAttribute('width', width);
  drawing.setAttribute('height', height);
  return new XMLSerializer().serializeToString(drawing);
}

function answer(data: object): void {
  parent.postMessage(data, location.origin);
}

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folders = ['docs/guide', 'docs/how-to', 'docs/operate', 'docs/wires'];

/** A code block of a page. */
export interface Block {
  /** The words behind the fence, for example `sh` or `ts client`. */
  language: string;
  code: string;
}

/** The fenced blocks of code of README and of the guides, by page, in order. Pages without any are left out. */
export function documentedBlocks(): Map<string, Block[]> {
  const pages = folders.flatMap((folder) =>
    readdirSync(`${root}${folder}`).map((name) => `${folder}/${name}`),
  );
  return new Map(
    ['README.md', ...pages.toSorted()]
      .map((page): [string, Block[]] => [page, blocksOf(readFileSync(`${root}${page}`, 'utf8'))])
      .filter(([, blocks]) => blocks.length > 0),
  );
}

function blocksOf(text: string): Block[] {
  const blocks = text.matchAll(/^```(\S[^\n]*)\n(.*?)^```$/gms);
  return Array.from(blocks, ([, language = '', code = '']) => ({ language, code }));
}

interface ShownFrame {
  event: string;
  /** Names of the fields of its data. */
  fields: string[];
}

/** Frames of a stream, as a block shows it, with neighbouring deltas as one: their number is a matter of time. */
export function framesOf(text: string): ShownFrame[] {
  const frames = [...text.matchAll(/^event: (.+)\n(?:id: .+\n)?data: (.+)$/gm)].map(
    ([, event = '', data = '']): ShownFrame => ({
      event,
      fields: Object.keys(JSON.parse(data) as object),
    }),
  );
  return frames.filter(
    ({ event }, index) => !(event === 'chat:delta' && frames[index - 1]?.event === event),
  );
}

import { memo, useRef } from 'react';
import Markdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { Image as ImageIcon } from '../../../components/icons.js';
import { closeMarks } from './close-marks.js';
import { markOf } from '../conversation/cite-text.js';
import { CodeBlock, OpenCode } from './code-block.js';
import { dollarFormulas, hasFormula, usePlugins } from './plugins.js';
import { CiteMark } from './sources.js';
import { continuesLine, isPlain, noBlocks, splitBlocks, type Blocks } from './split-blocks.js';

const remarkPlugins = [remarkGfm];

/** Pieces of a paragraph in one element. A longer paragraph continues in the next element. */
const MAX_PIECES = 16;

const components: Components = {
  a: ({ href, children }) => {
    const number = markOf(href);
    if (number !== undefined) return <CiteMark number={number} />;
    // Links within a text: footnotes.
    const isWithin = href?.startsWith('#') === true;
    return (
      <a href={href} {...(isWithin ? {} : { target: '_blank', rel: 'noreferrer noopener' })}>
        {children}
      </a>
    );
  },
  pre: ({ children }) => <CodeBlock>{children}</CodeBlock>,
  // The page's policy blocks pictures of other sites; a link does not request them.
  img: ({ src, alt }) => (
    <a
      href={src}
      target="_blank"
      rel="noreferrer noopener"
      title="Pictures of other sites are not loaded here: the link opens this one."
    >
      <ImageIcon aria-hidden size={14} className="mr-1 inline" />
      {alt === undefined || alt === '' ? src : alt}
    </a>
  ),
  table: ({ children }) => (
    // A table that scrolls sideways must be reachable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <table tabIndex={0}>{children}</table>
  ),
};

/**
 * A piece of a long paragraph, on the line of the piece before. The space between pieces is part of the
 * text: a node of its own would change where lines break.
 */
const inLine: Components = {
  ...components,
  p: ({ children }) => <span>{typeof children === 'string' ? `${children} ` : children}</span>,
};

const Block = memo(function Block({ text, isInLine }: { text: string; isInLine: boolean }) {
  return isPlain(text) ? (
    <Plain text={text} isInLine={isInLine} />
  ) : (
    <Marked {...{ text, isInLine }} />
  );
});

function Plain({ text, isInLine }: { text: string; isInLine: boolean }) {
  const words = text.trim();
  return isInLine ? <span>{`${words} `}</span> : <p>{words}</p>;
}

function Marked({ text, isInLine }: { text: string; isInLine: boolean }) {
  const { remark, rehype } = usePlugins(text);
  return (
    <Markdown
      remarkPlugins={[...remarkPlugins, ...remark]}
      rehypePlugins={rehype}
      components={isInLine ? inLine : components}
    >
      {remark.length > 0 && hasFormula(text) ? dollarFormulas(text) : text}
    </Markdown>
  );
}

/** Markdown that may still stream: only its last block is parsed again when it grows. */
export const MarkdownText = memo(function MarkdownText({
  text,
  isOpen,
}: {
  text: string;
  isOpen: boolean;
}) {
  const blocks = useRef<Blocks>(noBlocks);
  blocks.current = splitBlocks(text, blocks.current);
  const { settled, tail } = blocks.current;
  const groups = groupLines(settled, tail);
  return (
    <div className="prose">
      {groups.map(({ key, pieces, continues }) => {
        const last = pieces.at(-1);
        const isTail = isOpen && key === groups.at(-1)?.key;
        if (pieces.length === 1 && last !== undefined) {
          return <OneBlock key={key} text={last} isOpen={isTail} isInLine={false} />;
        }
        return (
          <p key={key} className={continues ? 'mb-0!' : ''}>
            {pieces.map((piece, index) => (
              <OneBlock
                key={index}
                text={piece}
                isOpen={isTail && index === pieces.length - 1}
                isInLine
              />
            ))}
          </p>
        );
      })}
    </div>
  );
});

function OneBlock({
  text,
  isOpen,
  isInLine,
}: {
  text: string;
  isOpen: boolean;
  isInLine: boolean;
}) {
  const fence = isOpen ? /^\s*(?:`{3,}|~{3,})([^\n]*)\n([\s\S]*)$/.exec(text) : null;
  if (fence !== null) return <OpenCode language={fence[1]?.trim() ?? ''} text={fence[2] ?? ''} />;
  return <Block text={isOpen ? closeMarks(text) : text} isInLine={isInLine} />;
}

interface Group {
  /** A stable key: the index of the first block. */
  key: number;
  pieces: string[];
  /** Whether the paragraph continues in the next group. */
  continues: boolean;
}

/** Groups the blocks of a paragraph up to a length, because each added line lays out the whole element. */
function groupLines(settled: readonly string[], tail: string): Group[] {
  const groups: Group[] = [];
  const all = tail === '' ? settled : [...settled, tail];
  for (const [index, block] of all.entries()) {
    const group = groups.at(-1);
    const isSame = group !== undefined && continuesLine(all[index - 1]);
    if (isSame && group.pieces.length < MAX_PIECES) group.pieces.push(block);
    else {
      if (isSame) group.continues = true;
      groups.push({ key: index, pieces: [block], continues: false });
    }
  }
  return groups;
}

import { useState } from 'react';
import { MarkdownText } from '../chat/text/markdown.js';
import { OpenText } from '../chat/text/open-text.js';
import { DiffView } from '../chat/turn/diff-view.js';
import { Toggle } from '../ui/toggle.js';
import { isUnended, type ComparedTurn } from './compared-facts.js';
import type { SideNames } from './facts-table.js';

/** The replies of two turns beside each other, or line by line. */
export function ComparedTexts({
  left,
  right,
  names,
}: {
  left: ComparedTurn;
  right: ComparedTurn;
  names: SideNames;
}) {
  const [byLine, setByLine] = useState(false);
  const hasOutput = left.output !== null || right.output !== null;
  return (
    <section aria-labelledby="replies">
      <div className="mb-2 flex items-center justify-between gap-3">
        <h2 id="replies" className="text-sm font-semibold">
          Replies
        </h2>
        <Toggle label="Line by line" isOn={byLine} onChange={setByLine} />
      </div>
      {byLine ? (
        <DiffView
          path={`${names.left} to ${names.right}`}
          before={wholeText(left, hasOutput)}
          after={wholeText(right, hasOutput)}
        />
      ) : (
        <div className="grid gap-4 sm:grid-cols-2">
          <Reply name={names.left} turn={left} />
          <Reply name={names.right} turn={right} />
        </div>
      )}
    </section>
  );
}

function Reply({ name, turn }: { name: string; turn: ComparedTurn }) {
  const { text, output, outcome } = turn;
  const isOpen = isUnended(turn);
  return (
    <article
      aria-label={`Reply: ${name}`}
      aria-busy={isOpen}
      className="min-w-0 rounded-xl border border-line bg-panel p-4"
    >
      <h3 className="mb-2 text-xs font-medium text-muted">{name}</h3>
      <MarkdownText text={text} isOpen={isOpen} />
      {output !== null && <OpenText text={shownJson(output)} label={`Object: ${name}`} />}
      {text === '' && output === null && (
        <p className="text-sm text-muted">{isOpen ? 'Nothing yet.' : `No text: ${outcome}.`}</p>
      )}
    </article>
  );
}

function wholeText({ text, output }: ComparedTurn, hasOutput: boolean): string {
  return hasOutput ? `${text}\n${output === null ? '' : shownJson(output)}` : text;
}

function shownJson(value: object): string {
  return JSON.stringify(value, null, 2);
}

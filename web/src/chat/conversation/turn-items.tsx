import { memo } from 'react';
import { ChevronRight, CornerDownRight, FileX } from '../../ui/icons/icons.js';
import { DescribedFaultNote } from '../../app/fault-note.js';
import { describeTurnFault } from '../turn/describe-turn-fault.js';
import { MarkdownText } from '../text/markdown.js';
import { OpenText } from '../text/open-text.js';
import { OutputObject } from '../text/output-object.js';
import { isSaidByReply } from '../turn/describe-notice.js';
import { Notice, NoticeOf } from '../turn/notice.js';
import { Cited, Sources } from '../text/sources.js';
import { SubagentTurn } from '../turn/subagent-turn.js';
import { ToolCard } from '../turn/tool-card.js';
import type { Source } from '../../../../src/events/turn-event.js';
import { withMarks } from './cite-text.js';
import type { Item, TextItem, ThinkingItem, TurnView } from './turn-view.js';

/** The items of a turn, in order. The object that it ends with stands in place of its text. */
export function TurnItems({ view }: { view: TurnView }) {
  const { output, fault } = view;
  const isText = (item: Item, step: number | undefined): boolean =>
    item.kind === 'text' && item.step === step;
  const [objectItem] = view.items.filter((item) => isText(item, output?.step));
  return (
    <>
      {view.items.map((item) => {
        if (output !== undefined && item === objectItem) {
          return <OutputObject key={item.key} output={output} />;
        }
        if (isText(item, output?.step)) return null;
        if (item.kind === 'notice' && isSaidByReply(item, view.items)) return null;
        if (item.kind === 'text' && item.step === fault?.badReplyStep) {
          return <OpenText key={item.key} text={item.text} label="Reply as it came" isBad />;
        }
        return <TurnItem key={item.key} item={item} sources={sourcesOf(view, item)} />;
      })}
    </>
  );
}

function renderChild(view: TurnView) {
  return (
    <SubagentTurn view={view}>
      <TurnItems view={view} />
      {view.fault !== undefined && <DescribedFaultNote described={describeTurnFault(view.fault)} />}
    </SubagentTurn>
  );
}

/** A text of the reply, with the marks of its citations once it is complete. */
function Reply({
  item: { text, isOpen, marks = [] },
  sources,
}: {
  item: TextItem;
  sources: readonly Source[];
}) {
  const isMarked = !isOpen && marks.length > 0;
  return (
    <Cited sources={sources}>
      <MarkdownText text={isMarked ? withMarks(text, marks) : text} isOpen={isOpen} />
    </Cited>
  );
}

function sourcesOf(view: TurnView, item: Item): readonly Source[] {
  if (item.kind !== 'text' || item.marks === undefined) return none;
  const ofStep = view.items.find((one) => one.kind === 'sources' && one.step === item.step);
  return ofStep?.kind === 'sources' ? ofStep.sources : none;
}

const none: readonly Source[] = [];

function TurnItem({ item, sources }: { item: Item; sources: readonly Source[] }) {
  switch (item.kind) {
    case 'text':
      return <Reply item={item} sources={sources} />;
    case 'thinking':
      return <Thinking item={item} />;
    case 'tool':
      return <ToolCard item={item} renderChild={renderChild} />;
    case 'sources':
      return <Sources sources={item.sources} />;
    case 'notice':
      return <NoticeOf item={item} />;
    case 'steered':
      return (
        <p className="my-3 flex gap-2 rounded-lg bg-accent-wash px-3 py-2 text-sm whitespace-pre-wrap">
          <CornerDownRight aria-hidden size={16} className="mt-0.5 shrink-0 text-accent-ink" />
          <span className="sr-only">You added: </span>
          {item.text}
        </p>
      );
    case 'rejected-file':
      return (
        <Notice
          text={
            <>
              <FileX aria-hidden size={14} className="mr-1 inline" />
              {item.name} was refused: {item.reason}
            </>
          }
        />
      );
  }
}

/** The model's thinking, folded. */
const Thinking = memo(function Thinking({ item }: { item: ThinkingItem }) {
  return (
    <details className="group my-2 text-sm">
      <summary className="-mx-1.5 inline-flex list-none items-center gap-1 rounded-md px-1.5 py-0.5 text-muted select-none hover:bg-sunken hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden size={14} className="transition-transform group-open:rotate-90" />
        {item.isOpen ? <span className="pulse">Thinking…</span> : <span>Thinking</span>}
      </summary>
      <p className="mt-1 border-l-2 border-line pl-3 whitespace-pre-wrap text-muted">{item.text}</p>
    </details>
  );
});

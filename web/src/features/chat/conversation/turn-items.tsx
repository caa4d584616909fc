import { AgentName } from '../../../components/agent-name.js';
import { memo, type ReactNode } from 'react';
import {
  ChevronRight,
  CornerDownRight,
  FileX,
  TriangleAlert,
  Bot,
  Braces,
} from '../../../components/icons.js';
import { DescribedFaultNote } from '../../../components/fault-note.js';
import { describeTurnFault } from '../turn/describe-turn-fault.js';
import { MarkdownText } from '../text/markdown.js';
import { OutputText } from '../../../components/output-text.js';
import { isRepeatedByReply, describeNotice } from '../turn/describe-notice.js';
import { Cited, Sources } from '../text/sources.js';
import { ToolCard } from '../turn/tool-card.js';
import type { Source } from '#src/events/turn-event.js';
import { ClampedText } from '../../../components/clamped-text.js';
import { allTokens, formatShort } from '../../../components/format.js';
import { Link } from 'wouter';
import { Spinner } from '../../../components/spinner.js';
import { withMarks } from './cite-text.js';
import type {
  Item,
  TextItem,
  ThinkingItem,
  TurnView,
  NoticeItem,
  TurnOutput,
} from './turn-view.js';

/** The items of a turn, in order. The turn's object replaces the text of its step. */
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
        if (item.kind === 'notice' && isRepeatedByReply(item, view.items)) return null;
        if (item.kind === 'text' && item.step === fault?.badReplyStep) {
          return <OutputText key={item.key} text={item.text} label="Reply as it came" isBad />;
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

/** A notice of the server. */
function Notice({ text }: { text: ReactNode }) {
  return (
    <div
      role="note"
      aria-label="Notice"
      className="my-3 rounded-r-lg border-l-4 border-amber-line bg-amber-wash px-3 py-2 text-sm text-amber"
    >
      <div className="flex items-start gap-2">
        <TriangleAlert aria-hidden size={16} className="mt-0.5 shrink-0" />
        <div className="min-w-0">
          <ClampedText text={text} className="whitespace-pre-wrap" />
        </div>
      </div>
    </div>
  );
}

/** A notice to people in full. A notice to the model is one line, which unfolds. */
function NoticeOf({ item }: { item: NoticeItem }) {
  const line = describeNotice(item);
  if (line === undefined) return <Notice text={item.text} />;
  return (
    <div role="note" aria-label="Notice" className="my-2 text-sm">
      <details className="group">
        <summary className="-mx-1.5 inline-flex max-w-full list-none items-center gap-1 rounded-md px-1.5 py-0.5 text-muted select-none hover:bg-sunken hover:text-ink [&::-webkit-details-marker]:hidden">
          <ChevronRight
            aria-hidden
            size={14}
            className="shrink-0 transition-transform group-open:rotate-90"
          />
          <span className="min-w-0 [overflow-wrap:anywhere]">{line}</span>
        </summary>
        <p className="mt-1 border-l-2 border-line pl-3 whitespace-pre-wrap text-muted [overflow-wrap:anywhere]">
          {item.text}
        </p>
      </details>
    </div>
  );
}

/** A subagent's turn, in the card of the call that started it. */
function SubagentTurn({ view, children }: { view: TurnView; children: ReactNode }) {
  const { agent, phase, usage, turnId } = view;
  return (
    <details open={phase !== 'ended'} className="group/sub border-t border-line bg-canvas">
      <summary className="flex list-none items-center gap-2 px-3 py-1.5 text-xs text-soft [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          size={13}
          className="text-muted transition-transform group-open/sub:rotate-90"
        />
        <Bot aria-hidden size={14} className="text-muted" />
        <span className="font-medium">
          {agent === undefined ? 'Subagent' : <AgentName name={agent} />}
        </span>
        <span className="text-muted">{phaseWords(view)}</span>
        {phase === 'running' && <Spinner size={12} />}
        <span className="flex-1" />
        {usage !== undefined && (
          <span className="text-muted tabular-nums">{formatShort(allTokens(usage))} tokens</span>
        )}
        <Link href={`/turns/${turnId}`} className="text-accent-ink underline underline-offset-2">
          Timeline
        </Link>
      </summary>
      <div className="border-l-2 border-accent-wash px-3 pb-2 text-sm">{children}</div>
    </details>
  );
}

function phaseWords({ phase, outcome, step }: TurnView): string {
  switch (phase) {
    case 'sending':
    case 'queued':
      return 'queued';
    case 'running':
      return step > 0 ? `step ${step}` : 'working';
    case 'stalled':
      return 'the worker does not answer';
    case 'recovering':
      return 'recovering';
    case 'parked':
      return 'waiting for your approval';
    case 'ended':
      return outcome ?? 'ended';
  }
}

/** The object of a turn, as JSON. */
function OutputObject({ output: { value, isFinal } }: { output: TurnOutput }) {
  // No line of JSON begins with a fence.
  const text = `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
  return (
    <section aria-label="Object" aria-busy={!isFinal} className="my-3">
      <h3 className="mb-1.5 flex items-center gap-1.5 text-xs font-semibold tracking-wide text-muted uppercase">
        <Braces aria-hidden size={13} /> Object
        {!isFinal && <span className="pulse font-normal tracking-normal normal-case">so far</span>}
      </h3>
      <MarkdownText text={text} isOpen={!isFinal} />
    </section>
  );
}

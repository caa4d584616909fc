import {
  BookOpen,
  Bot,
  ChevronRight,
  CircleAlert,
  CircleCheck,
  CircleHelp,
  CircleSlash,
  Clock,
  FilePen,
  FileSearch,
  ListTodo,
  SquareTerminal,
  Wrench,
  type Icon,
} from '../../../components/icons.js';
import { memo, useState, type ReactNode } from 'react';
import { ApprovalCard } from '../../approvals/approval-card.js';
import { formatDuration } from '../../../components/format.js';
import { Spinner } from '../../../components/spinner.js';
import { describeCall, fileChangeOf, isSkillCall } from './describe-call.js';
import { DiffView } from '../../../components/diff-view.js';
import { FileChip } from '../composer/file-chip.js';
import { OutputText } from '../../../components/output-text.js';
import type { ToolItem, TurnView } from '../conversation/turn-view.js';

const pictures: Record<string, Icon> = {
  bash: SquareTerminal,
  write: FilePen,
  edit: FilePen,
  read: FileSearch,
  grep: FileSearch,
  glob: FileSearch,
  task: Bot,
  todo_write: ListTodo,
  load_skill: BookOpen,
  read_skill_file: BookOpen,
};

/** Calls that are read as words. */
const titles: Record<string, string> = {
  load_skill: 'Skill',
  read_skill_file: 'Skill’s file',
};

/** A tool call on one line, which unfolds to its input and output. */
export const ToolCard = memo(function ToolCard({
  item,
  renderChild,
}: {
  item: ToolItem;
  /** Renders the turn of a subagent. */
  renderChild: (view: TurnView) => ReactNode;
}) {
  const change = fileChangeOf(item.name, item.answer?.input ?? item.input);
  const isAsked = item.status === 'asked' && item.asked !== undefined;
  const [isOpen, setOpen] = useState<boolean>();
  const shown = isOpen ?? (change !== undefined && !isAsked);
  const Picture = pictures[item.name] ?? Wrench;
  return (
    <section
      aria-label={`Tool ${item.name}`}
      className="my-2 overflow-clip rounded-xl border border-line bg-panel"
    >
      <button
        type="button"
        aria-expanded={shown}
        onClick={() => setOpen(!shown)}
        className="flex w-full items-center gap-2 px-3 py-2 text-left text-sm hover:bg-sunken focus-visible:-outline-offset-2"
      >
        <Picture aria-hidden size={15} className="shrink-0 text-muted" />
        <span className="shrink-0 font-mono text-[0.8125rem] font-medium">
          {titles[item.name] ?? item.name}
        </span>
        <span className="min-w-0 flex-1 truncate font-mono text-xs text-muted">
          {describeCall(item)}
          {item.status === 'running' && item.note !== undefined && ` · ${item.note}`}
        </span>
        <CallStatus item={item} />
        <ChevronRight
          aria-hidden
          size={14}
          className={`shrink-0 text-muted transition-transform ${shown ? 'rotate-90' : ''}`}
        />
      </button>
      {isAsked && item.asked !== undefined && (
        <div className="border-t border-line p-3">
          <ApprovalCard approval={item.asked} />
        </div>
      )}
      {item.child !== undefined && renderChild(item.child)}
      {item.files !== undefined && (
        <ul aria-label="Files" className="flex flex-wrap gap-2 border-t border-line p-3">
          {item.files.map((file, index) => (
            <li key={index} className="max-w-full">
              <FileChip file={file} />
            </li>
          ))}
        </ul>
      )}
      {shown && <CallDetails item={item} change={change} />}
    </section>
  );
});

function CallDetails({
  item,
  change,
}: {
  item: ToolItem;
  change: ReturnType<typeof fileChangeOf>;
}) {
  const input = item.input === undefined ? item.json : JSON.stringify(item.input, null, 2);
  return (
    <div className="space-y-3 border-t border-line p-3">
      {item.answer !== undefined && <AnswerLine item={item} />}
      {change === undefined && !isSkillCall(item.name) && (
        <Labelled label="Input">
          <OutputText text={input === '' ? '{}' : input} label="Input" />
        </Labelled>
      )}
      {change !== undefined && <DiffView {...change} />}
      {item.output !== undefined && (
        <Labelled label={item.name === 'load_skill' ? 'Instructions' : 'Output'}>
          <OutputText text={item.output} label="Output" isBad={item.status !== 'success'} />
        </Labelled>
      )}
    </div>
  );
}

function Labelled({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <h4 className="mb-1 text-xs font-semibold tracking-wide text-muted uppercase">{label}</h4>
      {children}
    </div>
  );
}

const decisions: Record<string, string> = {
  approve: 'Allowed',
  'approve-session': 'Allowed for the session',
  deny: 'Denied',
  answer: 'Answered',
  cancelled: 'Cancelled when the turn ended',
};

function AnswerLine({ item: { answer } }: { item: ToolItem }) {
  if (answer === undefined) return null;
  const who = answer.by === 'deadline' ? ' automatically when time ran out' : ` by ${answer.by}`;
  return (
    <p className="text-xs text-muted">
      {decisions[answer.decision] ?? answer.decision}
      {answer.decision === 'cancelled' ? '' : who}
      {answer.input !== undefined && ', with changed input'}
      {answer.message !== undefined && `: ${answer.message}`}
    </p>
  );
}

function CallStatus({ item }: { item: ToolItem }) {
  const { status, durationMs, elapsedMs } = item;
  const [picture, words] = statusOf(status);
  const time = durationMs ?? (status === 'running' ? elapsedMs : undefined);
  return (
    <span className="flex shrink-0 items-center gap-1.5 text-xs text-muted tabular-nums">
      {time !== undefined && <span>{formatDuration(time)}</span>}
      <span role="img" aria-label={words} title={words}>
        {picture}
      </span>
    </span>
  );
}

function statusOf(status: ToolItem['status']): [ReactNode, string] {
  switch (status) {
    case 'requested':
      return [<Clock key="p" aria-hidden size={15} />, 'Requested'];
    case 'asked':
      return [
        <CircleHelp key="p" aria-hidden size={15} className="text-amber" />,
        'Waiting for your answer',
      ];
    case 'running':
      return [<Spinner key="p" size={15} />, 'Running'];
    case 'success':
      return [<CircleCheck key="p" aria-hidden size={15} className="text-good" />, 'Done'];
    case 'error':
      return [<CircleAlert key="p" aria-hidden size={15} className="text-bad" />, 'Failed'];
    case 'denied':
      return [<CircleSlash key="p" aria-hidden size={15} className="text-amber" />, 'Denied'];
    case 'unknown':
      return [
        <CircleHelp key="p" aria-hidden size={15} className="text-amber" />,
        'Outcome unknown',
      ];
  }
}

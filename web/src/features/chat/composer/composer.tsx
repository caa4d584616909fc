import { useCaller, useModels } from '../../../api/queries.js';
import {
  useEffect,
  useId,
  useRef,
  useState,
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
} from 'react';
import { ArrowUp, Brain, Paperclip, Quote, Square } from '../../../components/icons.js';
import { COMPOSER_ID } from '../../../app/shortcuts.js';
import { IconButton } from '../../../components/button.js';
import { Toggle } from '../../../components/toggle.js';
import { Spinner } from '../../../components/spinner.js';
import type { AttachedFile } from '../conversation/turn-view.js';
import { compact } from '#src/platform/compact.js';
import { useValue } from '../../../hooks/value-store.js';
import type { ModelList } from '#src/client/turnpike-client.js';
import { formatShort } from '../../../components/format.js';
import { ChosenChip } from './file-chip.js';
import { turnOptions, turnOpts, type OnBusy, efforts, type TurnOptions } from './turn-options.js';
import { PromptMenu, typedPrompt, type ChosenPrompt } from './prompt-menu.js';
import { useAttachments } from './use-attachments.js';

export interface Draft {
  message: string;
  attachments: string[];
  files: AttachedFile[];
  opts: Record<string, unknown>;
}

/** The field for a message, with its files and options. */
export function Composer({
  sessionId,
  isRunning = false,
  isSending = false,
  suggestion,
  onSend,
  onStop,
  placeholder = 'Reply, or ask for something else',
  children,
}: {
  /** Absent: a session is begun with the message. */
  sessionId?: string;
  isRunning?: boolean;
  /** A message is on its way, and takes no other. */
  isSending?: boolean;
  /** A text to begin with. Each new one replaces what is typed. */
  suggestion?: { text: string } | undefined;
  /** @returns false for a message that was not accepted: its text stays. */
  onSend: (draft: Draft) => boolean;
  onStop?: () => void;
  placeholder?: string;
  /** More controls in the row below the text. */
  children?: ReactNode;
}) {
  const [text, setText] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const { files, add, remove, clear } = useAttachments(useCaller()?.attachmentBytes);
  const isDragged = useFileDrop(add);
  const options = useValue(turnOptions);
  const models = useModels();
  const hintId = useId();
  const isUploading = files.some(
    ({ uploadedId, fault }) => uploadedId === undefined && fault === undefined,
  );
  const taken = files.flatMap(({ uploadedId: id, name, mimeType, size, content }) =>
    id === undefined ? [] : [{ id, name, mimeType, size, content }],
  );
  const isReady = !isSending && !isUploading && (text.trim() !== '' || taken.length > 0);

  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    if (suggestion === undefined) return;
    setText(suggestion.text);
    field.current?.focus();
  }, [suggestion]);
  const typed = sessionId === undefined ? undefined : typedPrompt(text);
  const send = (prompt?: ChosenPrompt): void => {
    if (!isReady) return;
    // Another tab may have started a turn that is not shown here yet: this message then follows it.
    const onBusy = isRunning ? options.onBusy : 'enqueue';
    const opts = { ...turnOpts(options), onBusy, ...compact({ prompt }) };
    const attachments = taken.map(({ id }) => id);
    const message = prompt === undefined ? text : `/${prompt.name}`;
    if (!onSend({ message, attachments, files: taken, opts })) return;
    setText('');
    clear();
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  const onPaste = (event: ClipboardEvent): void => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    add(event.clipboardData.files);
  };

  return (
    <div className="rounded-2xl border border-line bg-panel shadow-sm focus-within:border-accent">
      {isDragged && <DropSign />}
      {files.length > 0 && (
        <ul aria-label="Attachments" className="flex flex-wrap gap-2 p-2 pb-0">
          {files.map((file) => (
            <ChosenChip key={file.key} file={file} onRemove={() => remove(file.key)} />
          ))}
        </ul>
      )}
      {sessionId !== undefined && typed !== undefined && (
        <PromptMenu sessionId={sessionId} typed={typed} onChoose={send} />
      )}
      <textarea
        id={COMPOSER_ID}
        ref={field}
        rows={1}
        aria-label="Message"
        aria-describedby={hintId}
        value={text}
        placeholder={placeholder}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        className="block max-h-60 min-h-12 w-full resize-none bg-transparent px-3.5 pt-3 pb-1 text-[0.9375rem] outline-none [field-sizing:content]"
      />
      <p id={hintId} className="sr-only">
        Enter sends, Shift and Enter make a new line.
      </p>
      {options.thinking && (
        <div className="flex flex-wrap items-center gap-1 px-2 pt-1">
          <ThinkingDetail {...options} />
        </div>
      )}
      <div className="flex items-end gap-1 p-1.5 pl-2">
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-1">
          <PickFiles onPick={add} />
          <Toggle
            label="Thinking"
            isOn={options.thinking}
            onChange={(thinking) => turnOptions.update((all) => ({ ...all, thinking }))}
          >
            <Brain aria-hidden size={14} />
          </Toggle>
          <Toggle
            label="Citations"
            isOn={options.citations}
            onChange={(citations) => turnOptions.update((all) => ({ ...all, citations }))}
          >
            <Quote aria-hidden size={13} />
          </Toggle>
          <ModelChoice
            models={models}
            value={options.model}
            onChange={(model) =>
              turnOptions.update(({ model: _before, ...rest }) => ({
                ...rest,
                ...(model === undefined ? {} : { model }),
              }))
            }
          />
          {children}
          <span className="flex-1" />
          {isRunning && text.trim() !== '' && <BusyChoice value={options.onBusy} />}
        </div>
        {isRunning && (
          <IconButton look="plain" label="Stop (Esc)" onClick={onStop} className="rounded-full!">
            <Square size={12} fill="currentColor" />
          </IconButton>
        )}
        <IconButton
          look="main"
          label={isSending ? 'Sending' : 'Send (Enter)'}
          disabled={!isReady}
          onClick={() => send()}
          className="rounded-full!"
        >
          {isSending ? <Spinner size={15} className="text-current" /> : <ArrowUp size={17} />}
        </IconButton>
      </div>
    </div>
  );
}

function PickFiles({ onPick }: { onPick: (files: Iterable<File>) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton label="Attach files" onClick={() => input.current?.click()}>
        <Paperclip size={16} />
      </IconButton>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files"
        onChange={({ target }) => {
          onPick([...(target.files ?? [])]);
          target.value = '';
        }}
      />
    </>
  );
}

function DropSign() {
  return (
    <div className="pointer-events-none fixed inset-3 z-40 grid place-items-center rounded-2xl border-2 border-dashed border-accent bg-accent-wash/90 text-base font-medium text-accent-ink">
      Drop files to attach them
    </div>
  );
}

const choices: { value: OnBusy; words: string }[] = [
  { value: 'enqueue', words: 'Send after this turn' },
  { value: 'steer', words: 'Add to this turn' },
  { value: 'interrupt', words: 'Stop it and send' },
];

function BusyChoice({ value }: { value: OnBusy }) {
  return (
    <select
      aria-label="When the message is sent"
      value={value}
      onChange={({ target }) =>
        turnOptions.update((all) => ({ ...all, onBusy: target.value as OnBusy }))
      }
      className="h-8 rounded-lg bg-transparent px-1 text-xs text-soft hover:bg-sunken"
    >
      {choices.map((one) => (
        <option key={one.value} value={one.value}>
          {one.words}
        </option>
      ))}
    </select>
  );
}

/** Takes files that are dropped anywhere on the page. @returns whether files are dragged over it. */
function useFileDrop(onFiles: (files: Iterable<File>) => void): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const hasFiles = (event: DragEvent): boolean =>
      event.dataTransfer?.types.includes('Files') ?? false;
    const over = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      onFiles([...(event.dataTransfer?.files ?? [])]);
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, [onFiles]);
  return isOver;
}

/** The effort of thinking of the next turn, and whether thinking is shown. */
function ThinkingDetail({ effort, showsThinking }: TurnOptions) {
  return (
    <>
      <select
        aria-label="Effort"
        value={effort ?? ''}
        onChange={({ target }) => {
          const chosen = efforts.find((level) => level === target.value);
          turnOptions.update(({ effort: _before, ...rest }) => ({
            ...rest,
            ...(chosen === undefined ? {} : { effort: chosen }),
          }));
        }}
        className="h-8 rounded-lg bg-transparent px-1 text-xs text-soft hover:bg-sunken"
      >
        <option value="">Default effort</option>
        {efforts.map((level) => (
          <option key={level} value={level}>
            {level} effort
          </option>
        ))}
      </select>
      <Toggle
        label="Show thinking"
        isOn={showsThinking}
        onChange={(shows) => turnOptions.update((all) => ({ ...all, showsThinking: shows }))}
      />
    </>
  );
}

/** The model of the next turn. */
function ModelChoice({
  models,
  value,
  onChange,
}: {
  models: ModelList | undefined;
  /** Undefined: the server's default. */
  value: string | undefined;
  onChange: (model: string | undefined) => void;
}) {
  if (models === undefined) return null;
  const isGone = value !== undefined && !models.models.some(({ id }) => id === value);
  return (
    <select
      aria-label="Model"
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
      className="h-8 max-w-56 rounded-lg bg-transparent max-sm:max-w-28 text-ellipsis px-1 text-xs text-soft [field-sizing:content] hover:bg-sunken"
    >
      <option value="">{defaultWords(models)}</option>
      {isGone && <option value={value}>{value} (not listed)</option>}
      {models.models.map(({ id, name, contextWindow, price, lifecycle }) => (
        <option
          key={id}
          value={id}
          title={`${id}: ${formatShort(contextWindow)} tokens${!costs(price) ? '' : `, $${price.input} in and $${price.output} out for a million`}`}
        >
          {name}
          {costs(price) ? ` · $${price.input} / $${price.output}` : ''}
          {lifecycle === 'deprecated' ? ' (deprecated)' : ''}
        </option>
      ))}
    </select>
  );
}

type Price = ModelList['models'][number]['price'];

/** Whether a model costs anything: those of the rehearsal do not. */
function costs(price: Price): price is NonNullable<Price> {
  return price !== undefined && price.input + price.output > 0;
}

/** The model that turns have which name none. */
function defaultWords({ provider, defaultModel, models }: ModelList): string {
  if (provider === 'rehearsal') return 'Rehearsal model';
  const name = models.find(({ id }) => id === defaultModel)?.name ?? defaultModel;
  return `${name} (default)`;
}

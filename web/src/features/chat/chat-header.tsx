import { AgentName } from '../../components/agent-name.js';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { SessionRecord, ModelList } from '#src/client/turnpike-client.js';
import { client } from '../../api/client.js';
import { invalidate, useModels } from '../../api/queries.js';
import { useDocumentSubject } from '../../app/document-title.js';
import { MutationFault } from '../../components/fault-note.js';
import { navigate } from '../../app/navigation.js';
import { publishToTabs } from '../../api/tabs.js';
import { IconButton } from '../../components/button.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { CopyButton } from '../../components/copy-button.js';
import { FormDialog } from '../../components/form-dialog.js';
import { Field } from '../../components/field.js';
import { Download, Pencil, Trash2 } from '../../components/icons.js';
import { formatShort, formatUsd } from '../../components/format.js';
import { modeWords } from './composer/permission-modes.js';
import { conversationMarkdown } from './conversation/conversation-markdown.js';
import { closeConversation } from './conversation/open-conversation.js';
import type { ChatTurn } from './conversation/turn-view.js';
import { sessionFacts } from './conversation/session-facts.js';

/** Title and facts of a session, and what is done with it as a whole. */
export function ChatHeader({
  session,
  sessionId,
  turns,
  onChange,
}: {
  session: SessionRecord | undefined;
  sessionId: string;
  turns: readonly ChatTurn[];
  /** Called with the session after a change. */
  onChange: (session: SessionRecord) => void;
}) {
  const models = useModels();
  const [asked, setAsked] = useState<'rename' | 'delete'>();
  const exporting = useMutation({ mutationFn: () => save(sessionId) });
  const title = titleOf(session, turns);
  useDocumentSubject(title);
  const close = (): void => setAsked(undefined);
  return (
    <header className="shrink-0 border-b border-line px-4 py-2 sm:px-6">
      <div className="flex items-center gap-1">
        <h1 className="min-w-0 truncate text-sm font-semibold">{title}</h1>
        <IconButton label="Rename session" onClick={() => setAsked('rename')} className="size-7!">
          <Pencil size={13} />
        </IconButton>
        <span className="flex-1" />
        <CopyButton
          label="Copy conversation as Markdown"
          text={() => conversationMarkdown(title, turns)}
        />
        <IconButton label="Export session" onClick={() => exporting.mutate()}>
          <Download size={15} />
        </IconButton>
        <IconButton label="Delete session" onClick={() => setAsked('delete')}>
          <Trash2 size={15} />
        </IconButton>
      </div>
      <div className="flex items-center gap-x-3 text-xs text-muted">
        {session !== undefined && (
          <>
            <span className="shrink-0">
              <AgentName name={session.persona} />
            </span>
            {session.mode !== 'direct' && (
              <span className="shrink-0" title="Permissions">
                {modeWords(session.mode)}
              </span>
            )}
            {/* Last: it is cut where the meter grows, and nothing behind it moves. */}
            <span className="min-w-0 truncate font-mono" title={session.projectRoot}>
              {session.projectRoot}
            </span>
          </>
        )}
        <span className="flex-1" />
        <SessionMeter turns={turns} sessionModel={session?.model} models={models} />
      </div>
      <MutationFault of={exporting} />
      {asked === 'rename' && (
        <RenameDialog sessionId={sessionId} title={title} onRenamed={onChange} onClose={close} />
      )}
      {asked === 'delete' && (
        <ConfirmDialog
          title="Delete this session?"
          action="Delete session"
          onConfirm={() => remove(sessionId)}
          onClose={close}
        >
          Its conversation is deleted permanently, and a running turn is stopped. Files in the
          folder are not changed.
        </ConfirmDialog>
      )}
    </header>
  );
}

/** As its user called it, or how its first message begins. */
function titleOf(session: SessionRecord | undefined, turns: readonly ChatTurn[]): string {
  const [line = ''] = turns[0]?.user.text.trim().split('\n') ?? [];
  return session?.title ?? (line === '' ? 'New session' : line.slice(0, 120));
}

async function remove(sessionId: string): Promise<void> {
  await client().sessions.delete(sessionId);
  closeConversation();
  void invalidate('sessions');
  publishToTabs({ type: 'sessions' });
  navigate('/');
}

/** Saves a session with its turns and files. A link of its own would lack the key. */
async function save(sessionId: string): Promise<void> {
  const lines = await client().data.exportSession(sessionId);
  const url = URL.createObjectURL(await new Response(lines).blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = `${sessionId}.jsonl`;
  link.click();
  URL.revokeObjectURL(url);
}

function RenameDialog({
  sessionId,
  title,
  onRenamed,
  onClose,
}: {
  sessionId: string;
  title: string;
  onRenamed: (session: SessionRecord) => void;
  onClose: () => void;
}) {
  const [text, setText] = useState(title);
  const renaming = useMutation({
    mutationFn: () => client().sessions.rename(sessionId, text.trim() === '' ? null : text.trim()),
    onSuccess: (session) => {
      onRenamed(session);
      void invalidate('sessions');
      publishToTabs({ type: 'sessions' });
      onClose();
    },
  });
  return (
    <FormDialog
      title="Rename session"
      action="Rename"
      sending={renaming}
      onSubmit={() => renaming.mutate()}
      onClose={onClose}
    >
      <Field label="Title" about="Leave it empty to use the first message.">
        {(control) => (
          <input
            {...control}
            maxLength={200}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}

/** Cost, model and context of a session, in one line: at its end stands what is always known, and nothing moves. */
function SessionMeter({
  turns,
  sessionModel,
  models,
}: {
  turns: readonly ChatTurn[];
  sessionModel: string | undefined;
  models: ModelList | undefined;
}) {
  // Superseded turns have their cost, and no part in the context: they go before the others.
  const views = [
    ...turns.filter(({ supersededBy }) => supersededBy !== undefined),
    ...turns.filter(({ supersededBy }) => supersededBy === undefined),
  ].map(({ view }) => view);
  const { model, contextTokens, contextWindow, usd } = sessionFacts(views, sessionModel, models);
  return (
    <span
      role="group"
      aria-label="Model, context and cost"
      className="grid shrink-0 grid-cols-[4rem_auto_8.5rem] items-center gap-x-3 text-right tabular-nums max-lg:grid-cols-[4rem_8.5rem] max-sm:grid-cols-[4rem]"
    >
      <span className="text-left" title="Cost of the session’s turns">
        {usd === undefined ? '' : formatUsd(usd)}
      </span>
      <span className="max-w-48 truncate max-lg:hidden">{model}</span>
      <span className="max-sm:hidden" title="Tokens that the next model call starts from">
        {contextTokens !== undefined &&
          `Context ${formatShort(contextTokens)}${contextWindow === undefined ? '' : ` / ${formatShort(contextWindow)}`}`}
      </span>
    </span>
  );
}

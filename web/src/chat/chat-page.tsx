import { ArrowDown, Bot, Download, Folder, Trash2 } from '../ui/icons/icons.js';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { SessionRecord } from '../../../src/client/turnpike-client.js';
import { client, reportFault } from '../app/client.js';
import { FaultNote } from '../app/fault-note.js';
import { useModels } from '../app/models.js';
import { navigate } from '../app/navigation.js';
import { Link } from '../app/link.js';
import { Loading, Page } from '../app/page.js';
import { sessionsChanged } from '../app/use-sessions.js';
import { publishToTabs } from '../app/tabs.js';
import { Button, IconButton } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Composer, COMPOSER_ID } from './composer/composer.js';
import type { Conversation } from './conversation/conversation.js';
import { closeConversation } from './conversation/open-conversation.js';
import { isMissing } from './conversation/is-missing.js';
import { placeTurns, type ChosenVersions } from './conversation/place-turns.js';
import { modeWords } from './composer/permission-modes.js';
import { exportSession } from './export-session.js';
import { ForkSource } from './fork/fork-source.js';
import { SessionMeter } from './session-meter.js';
import type { ShownTurn } from './conversation/shown-turn.js';
import { Turn } from './turn/turn.js';
import { isLive, TurnStatus } from './turn/turn-status.js';
import { useConversation } from './conversation/use-conversation.js';
import { useStickToEnd } from './use-stick-to-end.js';

/** A session: its turns, and the field for the next message. */
export function ChatPage({ sessionId }: { sessionId: string }) {
  const { conversation, state, isRunning } = useConversation(sessionId);
  const { box, content, isAtEnd, toEnd } = useStickToEnd();
  const stop = (): void => void conversation.stop().catch(reportFault);
  useEscape(isRunning, stop);
  const [chosen, setChosen] = useState<ChosenVersions>(new Map());
  const choose = useCallback(
    (point: string, version: string) => setChosen((all) => new Map(all).set(point, version)),
    [],
  );
  const send = useCallback(
    (...[request, files]: Parameters<Conversation['send']>) => {
      // A message goes into the conversation, whichever version is shown.
      setChosen(new Map());
      toEnd();
      document.getElementById(COMPOSER_ID)?.focus();
      void conversation.send(request, files);
    },
    [conversation, toEnd],
  );
  const shown = useMemo(() => placeTurns(state.turns, chosen), [state.turns, chosen]);
  if (state.status === 'failed' && isMissing(state.fault)) return <MissingSession />;
  return (
    <main id="main" tabIndex={-1} className="flex h-full min-h-0 flex-col outline-none">
      <ChatHeader session={state.session} sessionId={sessionId} turns={state.turns} />
      <div
        ref={box}
        tabIndex={0}
        role="region"
        aria-label="Conversation"
        className="min-h-0 flex-1 overflow-y-auto px-4 [overflow-anchor:none] focus-visible:-outline-offset-2 sm:px-8"
      >
        <div ref={content} className="mx-auto max-w-3xl pt-3 pb-6">
          {state.status === 'loading' && state.turns.length === 0 && (
            <Loading what="the conversation" />
          )}
          {state.status === 'failed' && (
            <FaultNote fault={state.fault} onRetry={() => void conversation.open()} />
          )}
          {state.status === 'ready' && state.turns.length === 0 && (
            <p className="py-16 text-center text-sm text-muted">No messages yet.</p>
          )}
          {state.session?.forkedFrom !== undefined && (
            <ForkSource source={state.session.forkedFrom} />
          )}
          {shown.map(({ turn, versions }, index) => (
            <Turn
              // The controls of a point stay, with the focus, whichever version is shown.
              key={versions[0]?.turnId ?? turn.turnId}
              turn={turn}
              versions={versions.length > 1 ? versions : undefined}
              isLast={index === shown.length - 1}
              mayReplay={state.session?.replayOf === undefined}
              conversation={conversation}
              onSend={send}
              onChoose={choose}
            />
          ))}
        </div>
      </div>
      <div className="shrink-0 sm:px-8">
        <div className="relative mx-auto w-full max-w-3xl px-3 pb-3 sm:px-0">
          {!isAtEnd && (
            <IconButton
              look="plain"
              label="To the end"
              onClick={toEnd}
              className="absolute -top-2 left-1/2 -translate-x-1/2 rounded-full! shadow-md"
            >
              <ArrowDown size={16} />
            </IconButton>
          )}
          <LiveStatus turns={state.turns} />
          <Composer
            key={sessionId}
            isRunning={isRunning}
            onStop={stop}
            onSend={({ message, attachments, files, opts }) => {
              send({ message, attachments, opts }, files);
              return true;
            }}
          />
        </div>
      </div>
    </main>
  );
}

/** A line of constant height, so that nothing moves when a turn begins or ends. */
function LiveStatus({ turns }: { turns: readonly ShownTurn[] }) {
  const live = turns.findLast(({ view, fault }) => isLive(view) && fault === undefined);
  return (
    <div className="flex h-8 items-center px-1 text-xs text-muted">
      {live === undefined ? (
        <p className="max-sm:hidden">
          Enter sends · Shift + Enter is a new line · ? shows all keys
        </p>
      ) : (
        <TurnStatus view={live.view} />
      )}
    </div>
  );
}

/** Interrupts the turn on Escape, unless a dialog is open. */
function useEscape(isOn: boolean, onEscape: () => void): void {
  useEffect(() => {
    if (!isOn) return undefined;
    const listen = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      if (document.querySelector('dialog[open], [data-radix-popper-content-wrapper]') !== null)
        return;
      onEscape();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  });
}

function ChatHeader({
  session,
  sessionId,
  turns,
}: {
  session: SessionRecord | undefined;
  sessionId: string;
  turns: readonly ShownTurn[];
}) {
  const models = useModels();
  const [isAsking, setAsking] = useState(false);
  return (
    <header className="flex h-12 shrink-0 items-center gap-3 border-b border-line px-4 text-sm sm:px-6">
      <h1 className="sr-only">Session</h1>
      {session !== undefined && (
        <>
          <span className="flex min-w-0 items-center gap-1.5 text-soft" title={session.projectRoot}>
            <Folder aria-hidden size={14} className="shrink-0 text-muted" />
            <span className="truncate font-mono text-xs">{session.projectRoot}</span>
          </span>
          <span className="flex shrink-0 items-center gap-1.5 text-soft" title={session.persona}>
            <Bot aria-hidden size={14} className="text-muted" />
            <span className="text-xs max-sm:sr-only">{session.persona}</span>
          </span>
          {session.mode !== 'direct' && (
            <span
              className="shrink-0 rounded-full bg-sunken px-2 text-xs text-soft"
              title="Permissions"
            >
              {modeWords(session.mode)}
            </span>
          )}
        </>
      )}
      <span className="flex-1" />
      <SessionMeter turns={turns} sessionModel={session?.model} models={models} />
      <IconButton
        label="Export session"
        onClick={() => void exportSession(sessionId).catch(reportFault)}
      >
        <Download size={15} />
      </IconButton>
      <IconButton label="Delete session" onClick={() => setAsking(true)}>
        <Trash2 size={15} />
      </IconButton>
      {isAsking && <DeleteDialog sessionId={sessionId} onClose={() => setAsking(false)} />}
    </header>
  );
}

function DeleteDialog({ sessionId, onClose }: { sessionId: string; onClose: () => void }) {
  const [fault, setFault] = useState<unknown>();
  const remove = async (): Promise<void> => {
    try {
      await client().sessions.delete(sessionId);
      closeConversation();
      sessionsChanged();
      publishToTabs({ type: 'sessions' });
      navigate('/');
    } catch (thrown) {
      setFault(reportFault(thrown));
    }
  };
  return (
    <Dialog title="Delete this session?" onClose={onClose}>
      <p className="text-sm text-soft">
        Its conversation is deleted for good, and a turn that runs in it is ended. Files that it
        changed stay as they are.
      </p>
      {fault !== undefined && <FaultNote fault={fault} />}
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onClose}>Keep it</Button>
        <Button look="bad" onClick={() => void remove()}>
          Delete
        </Button>
      </div>
    </Dialog>
  );
}

/** The page of a session that does not exist. */
function MissingSession() {
  return (
    <Page title="There is no such session">
      <p className="text-sm text-muted">
        It was deleted, or belongs to another API key.{' '}
        <Link href="/" className="text-accent-ink underline">
          Start a session
        </Link>
        , or choose one from the list.
      </p>
    </Page>
  );
}

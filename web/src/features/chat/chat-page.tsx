import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState, useRef } from 'react';
import { ArrowDown, GitFork } from '../../components/icons.js';
import { reportFault, client } from '../../api/client.js';
import { isLost } from '../../api/connection.js';
import { FaultNote } from '../../components/fault-note.js';
import { Link } from 'wouter';
import { Loading, Page } from '../../components/page.js';
import { COMPOSER_ID } from '../../app/shortcuts.js';
import { useValue } from '../../hooks/value-store.js';
import { Button, IconButton } from '../../components/button.js';
import type { SessionRecord } from '#src/client/turnpike-client.js';
import { ChatHeader } from './chat-header.js';
import { Composer } from './composer/composer.js';
import { type Conversation, isMissing } from './conversation/conversation.js';
import { visibleBranch, type ChosenVersions } from './conversation/visible-branch.js';
import type { ChatTurn } from './conversation/turn-view.js';
import { Turn } from './turn/turn.js';
import { isLive, TurnStatus } from './turn/turn-status.js';
import { useHiddenQuestion } from './use-hidden-question.js';
import { useConversation } from './conversation/use-conversation.js';

/** A session: its turns, and the field for the next message. */
export function ChatPage({ sessionId }: { sessionId: string }) {
  const { conversation, state, isRunning } = useConversation(sessionId);
  const { box, content, isAtEnd, toEnd } = useStickToEnd();
  const question = useHiddenQuestion(box, content);
  const stop = (): void => void conversation.stop().catch(reportFault);
  useEscape(isRunning, stop);
  const [chosen, setChosen] = useState<ChosenVersions>(new Map());
  const choose = useCallback(
    (point: string, version: string) => setChosen((all) => new Map(all).set(point, version)),
    [],
  );
  const send = useCallback(
    (...[request, files]: Parameters<Conversation['send']>) => {
      // The message is appended to the conversation, so that is what the page shows, not an older version.
      setChosen(new Map());
      toEnd();
      document.getElementById(COMPOSER_ID)?.focus();
      void conversation.send(request, files);
    },
    [conversation, toEnd],
  );
  const shown = useMemo(() => visibleBranch(state.turns, chosen), [state.turns, chosen]);
  if (state.status === 'failed' && isMissing(state.fault)) return <MissingSession />;
  return (
    <main id="main" tabIndex={-1} className="flex h-full min-h-0 flex-col outline-none">
      <ChatHeader
        session={state.session}
        sessionId={sessionId}
        turns={state.turns}
        onChange={(session) => conversation.setSession(session)}
      />
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
            <p className="py-16 text-center text-sm text-muted">No messages yet. Type one below.</p>
          )}
          {state.session?.forkedFrom !== undefined && (
            <ForkSource source={state.session.forkedFrom} />
          )}
          {shown.map(({ turn, versions }, index) => (
            <Turn
              // The same key for all versions: their switch keeps the focus.
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
          {question.isHidden && (
            <Button
              look="main"
              onClick={question.show}
              className="absolute -top-10 left-1/2 -translate-x-1/2 shadow-md"
            >
              Show the open question
            </Button>
          )}
          {!isAtEnd && !question.isHidden && (
            <IconButton
              look="plain"
              label="Scroll to the end"
              onClick={toEnd}
              className="absolute -top-9 left-1/2 -translate-x-1/2 rounded-full! shadow-md"
            >
              <ArrowDown size={16} />
            </IconButton>
          )}
          <LiveStatus turns={state.turns} />
          <Composer
            key={sessionId}
            sessionId={sessionId}
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
function LiveStatus({ turns }: { turns: readonly ChatTurn[] }) {
  const live = turns.findLast(({ view, fault }) => isLive(view) && fault === undefined);
  const lost = useValue(isLost);
  return (
    <div className="flex h-8 items-center px-1 text-xs text-muted">
      {live === undefined && (
        <p className="max-sm:hidden">
          Enter to send · Shift + Enter for a new line · Ctrl + / for all shortcuts
        </p>
      )}
      {/* The bar above says that the connection is lost. */}
      {live !== undefined && !lost && <TurnStatus view={live.view} />}
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

/** The page of a session that does not exist. */
function MissingSession() {
  return (
    <Page title="Session not found">
      <p className="text-sm text-muted">
        It was deleted, or it belongs to another API key.{' '}
        <Link href="/" className="text-accent-ink underline">
          Start a session
        </Link>
        , or choose one from the list.
      </p>
    </Page>
  );
}

/** Names the session that this one was forked from, which may be deleted. */
export function ForkSource({
  source: { sessionId, position },
}: {
  source: NonNullable<SessionRecord['forkedFrom']>;
}) {
  const { data, error } = useQuery({
    queryKey: ['sessions', sessionId],
    queryFn: () => client().sessions.get(sessionId),
  });
  const isGone = isMissing(error);
  return (
    <p className="mb-2 flex items-center justify-center gap-1.5 text-xs text-muted">
      <GitFork aria-hidden size={13} className="shrink-0" />
      <span>
        Forked {position} a turn of{' '}
        {isGone || data === undefined ? (
          isGone ? (
            'a session that was deleted.'
          ) : (
            'another session.'
          )
        ) : (
          <Link
            href={`/sessions/${sessionId}`}
            className="text-accent-ink underline underline-offset-2"
          >
            another session
          </Link>
        )}
      </span>
    </p>
  );
}

/** Pixels from the end that still count as the end. */
const NEAR = 40;

/**
 * Keeps a scrolling box at its end while it grows, unless the reader has scrolled away. The box is
 * scrolled between layout and paint, so that nothing jumps.
 */
export function useStickToEnd() {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isStuck = useRef(true);
  const [isAtEnd, setAtEnd] = useState(true);

  const toEnd = useCallback(() => {
    isStuck.current = true;
    const element = box.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  }, []);

  useEffect(() => {
    const element = box.current;
    const inner = content.current;
    if (element === null || inner === null) return undefined;
    let top = element.scrollTop;
    const onScroll = (): void => {
      const isNear = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
      // Only a reader scrolls up; what grows below leaves the position as it is.
      if (isNear || element.scrollTop < top) isStuck.current = isNear;
      top = element.scrollTop;
      setAtEnd(isNear);
    };
    const observer = new ResizeObserver(() => {
      if (!isStuck.current) return;
      element.scrollTop = element.scrollHeight;
      top = element.scrollTop;
    });
    observer.observe(inner);
    observer.observe(element);
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', onScroll);
    };
  }, []);
  return { box, content, isAtEnd, toEnd };
}

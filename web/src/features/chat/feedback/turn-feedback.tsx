import { Suspense, useState } from 'react';
import { lazyPart } from '../../../components/lazy-part.js';
import type { FeedbackView } from '#src/client/turnpike-client.js';
import { client } from '../../../api/client.js';
import { FaultNote } from '../../../components/fault-note.js';
import { useAct } from '../../../app/use-act.js';
import { IconButton } from '../../../components/button.js';
import { MessageSquare, ThumbsDown, ThumbsUp } from 'lucide-react';
import { useNearViewport } from '../../../hooks/use-near-viewport.js';

const CommentDialog = lazyPart(async () => (await import('./comment-dialog.js')).CommentDialog);

/** The console's key of feedback: whether a turn helped. */
const KEY = 'helpful';

/** Whether an ended turn helped, in the words of who is asked. */
export function TurnFeedback({ turnId }: { turnId: string }) {
  const [loaded, setLoaded] = useState<{ given: FeedbackView | undefined }>();
  const [isCommenting, setCommenting] = useState(false);
  const act = useAct();
  const given = loaded?.given;
  const load = (): void => act.run(async () => setLoaded({ given: await find(turnId) }));
  const seen = useNearViewport(turnId, true, load);
  const set = (value: boolean, comment = given?.comment ?? null): void =>
    act.run(async () => {
      const stored = await client().feedback.set(turnId, { key: KEY, value, comment });
      setLoaded({ given: stored });
    });
  const remove = (): void =>
    act.run(async () => {
      await client().feedback.delete(turnId, KEY);
      setLoaded({ given: undefined });
    });
  const press = (value: boolean): void => {
    if (given?.value !== value) set(value);
    // Words are not taken back by a click.
    else if (given.comment !== null) setCommenting(true);
    else remove();
  };
  return (
    <>
      <span ref={seen} role="group" aria-label="Feedback" className="inline-flex items-center">
        {[true, false].map((value) => (
          <Thumb
            key={String(value)}
            isUp={value}
            isPressed={given?.value === value}
            isReady={loaded !== undefined}
            onPress={() => press(value)}
          />
        ))}
        {given !== undefined && (
          <IconButton
            label={given.comment === null ? 'Add a comment' : 'Edit the comment'}
            className="size-7!"
            onClick={() => setCommenting(true)}
          >
            <MessageSquare size={13} />
          </IconButton>
        )}
      </span>
      {given !== undefined && given.comment !== null && (
        <p className="basis-full border-l-2 border-line pl-2 text-xs whitespace-pre-wrap text-muted">
          <span className="sr-only">Your comment: </span>
          {given.comment}
        </p>
      )}
      {act.fault !== undefined && (
        <div className="basis-full">
          <FaultNote
            fault={act.fault}
            onRetry={loaded === undefined ? load : undefined}
            onDismiss={act.dismiss}
          />
        </div>
      )}
      {isCommenting && given !== undefined && (
        <Suspense fallback={null}>
          <CommentDialog
            comment={given.comment ?? ''}
            onSave={(comment) => set(given.value === true, comment === '' ? null : comment)}
            onRemove={remove}
            onClose={() => setCommenting(false)}
          />
        </Suspense>
      )}
    </>
  );
}

async function find(turnId: string): Promise<FeedbackView | undefined> {
  const all = await client().feedback.ofTurn(turnId);
  return all.find(({ key, value }) => key === KEY && typeof value === 'boolean');
}

function Thumb({
  isUp,
  isPressed,
  isReady,
  onPress,
}: {
  isUp: boolean;
  isPressed: boolean;
  /** Feedback that was given before has been loaded. */
  isReady: boolean;
  onPress: () => void;
}) {
  const Picture = isUp ? ThumbsUp : ThumbsDown;
  return (
    <IconButton
      label={isUp ? 'Helpful' : 'Not helpful'}
      aria-pressed={isPressed}
      disabled={!isReady}
      className="size-7! aria-pressed:bg-accent-wash aria-pressed:text-accent-ink"
      onClick={onPress}
    >
      <Picture size={13} />
    </IconButton>
  );
}

import { useMutation, useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../../components/lazy-part.js';
import type { FeedbackView } from '#src/client/turnpike-client.js';
import { client } from '../../../api/client.js';
import { queryClient } from '../../../api/queries.js';
import { LoadFault } from '../../../components/page.js';
import { MutationFault } from '../../../components/fault-note.js';
import { IconButton } from '../../../components/button.js';
import { MessageSquare, ThumbsDown, ThumbsUp } from '../../../components/icons.js';
import { useNearViewport } from '../../../hooks/use-near-viewport.js';

const CommentDialog = lazyPart(async () => (await import('./comment-dialog.js')).CommentDialog);

/** The key of the console's feedback. */
const KEY = 'helpful';

/** Asks the user whether an ended turn helped. */
export function TurnFeedback({ turnId }: { turnId: string }) {
  const [isNear, setNear] = useState(false);
  const near = useNearViewport(turnId, true, () => setNear(true));
  const [isCommenting, setCommenting] = useState(false);
  const queryKey = ['feedback', turnId];
  const loaded = useQuery({
    queryKey,
    queryFn: () => find(turnId),
    enabled: isNear,
    // Once for each turn that comes into view: a conversation may have hundreds.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const feedback = loaded.data ?? undefined;
  const changing = useMutation({
    mutationFn: (change: () => Promise<FeedbackView | null>) => change(),
    onSuccess: (stored) => queryClient.setQueryData(queryKey, stored),
  });
  const set = (value: boolean, comment = feedback?.comment ?? null): void =>
    changing.mutate(() => client().feedback.set(turnId, { key: KEY, value, comment }));
  const remove = (): void =>
    changing.mutate(async () => {
      await client().feedback.delete(turnId, KEY);
      return null;
    });
  const press = (value: boolean): void => {
    if (changing.isPending) return;
    if (feedback?.value !== value) set(value);
    // A comment is not deleted by a click.
    else if (feedback.comment !== null) setCommenting(true);
    else remove();
  };
  return (
    <>
      <span ref={near} role="group" aria-label="Feedback" className="inline-flex items-center">
        {[true, false].map((value) => (
          <Thumb
            key={String(value)}
            isUp={value}
            isPressed={feedback?.value === value}
            isReady={loaded.data !== undefined}
            onPress={() => press(value)}
          />
        ))}
        {feedback !== undefined && (
          <IconButton
            label={feedback.comment === null ? 'Add a comment' : 'Edit the comment'}
            className="size-7!"
            onClick={() => setCommenting(true)}
          >
            <MessageSquare size={13} />
          </IconButton>
        )}
      </span>
      {feedback !== undefined && feedback.comment !== null && (
        <p className="order-1 basis-full border-l-2 border-line pl-2 text-xs whitespace-pre-wrap text-muted">
          <span className="sr-only">Your comment: </span>
          {feedback.comment}
        </p>
      )}
      <div className="order-1 basis-full empty:hidden">
        <LoadFault of={loaded} />
        <MutationFault of={changing} />
      </div>
      {isCommenting && feedback !== undefined && (
        <Suspense fallback={null}>
          <CommentDialog
            comment={feedback.comment ?? ''}
            onSave={(comment) => set(feedback.value === true, comment === '' ? null : comment)}
            onRemove={remove}
            onClose={() => setCommenting(false)}
          />
        </Suspense>
      )}
    </>
  );
}

async function find(turnId: string): Promise<FeedbackView | null> {
  const all = await client().feedback.ofTurn(turnId);
  return all.find(({ key, value }) => key === KEY && typeof value === 'boolean') ?? null;
}

function Thumb({
  isUp,
  isPressed,
  isReady,
  onPress,
}: {
  isUp: boolean;
  isPressed: boolean;
  /** Whether earlier feedback is loaded. */
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

import { useMutation } from '@tanstack/react-query';
import { useState, type ChangeEvent } from 'react';
import { problemOf, type FieldProblem, type ScheduleDraft } from './schedule-draft.js';

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** The value of a field, and what is wrong with it. */
export interface BoundField {
  problem: string | undefined;
  entry: { value: string; onChange: (event: ChangeEvent<Control>) => void };
}

export type Bind = (field: keyof ScheduleDraft) => BoundField;

export interface DraftForm {
  draft: ScheduleDraft;
  bind: Bind;
  isPending: boolean;
  /** The error of the last try, where it is about no field; null: none. */
  error: unknown;
  reset(): void;
  /** @param problems what is wrong with the draft. It is stored only if there are none. */
  submit(problems: readonly FieldProblem[], store: () => Promise<void>): void;
}

/** The form of a schedule, with faults at their fields. What is typed stays after a fault. */
export function useDraft(first: () => ScheduleDraft): DraftForm {
  const [draft, setDraft] = useState(first);
  const [problems, setProblems] = useState<readonly FieldProblem[]>([]);
  const { isPending, error, reset, mutate } = useMutation({
    mutationFn: (store: () => Promise<void>) => store(),
    onError: (thrown) => {
      const found = problemOf(thrown);
      if (found !== undefined) setProblems([found]);
    },
  });
  return {
    draft,
    bind: (field) => ({
      problem: problems.find((one) => one.field === field)?.text,
      entry: {
        value: draft[field],
        onChange: ({ target }) => {
          setDraft((before) => ({ ...before, [field]: target.value }));
          setProblems((all) => all.filter((one) => one.field !== field));
        },
      },
    }),
    isPending,
    error: problemOf(error) === undefined ? error : null,
    reset,
    submit: (found, store) => {
      setProblems(found);
      if (!isPending && found.length === 0) mutate(store);
    },
  };
}

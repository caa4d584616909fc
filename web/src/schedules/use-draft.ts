import { useState, type ChangeEvent } from 'react';
import { reportFault } from '../app/client.js';
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
  isBusy: boolean;
  /** The error of the last try, where it is about no field. */
  fault: unknown;
  dismiss(): void;
  /** @param store returns what is wrong with a field; otherwise the draft is stored. */
  submit(store: () => Promise<FieldProblem | undefined>): void;
}

/** A schedule as it is typed, with faults at their fields. What is typed stays after each of them. */
export function useDraft(first: () => ScheduleDraft): DraftForm {
  const [draft, setDraft] = useState(first);
  const [problem, setProblem] = useState<FieldProblem>();
  const [fault, setFault] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const attempt = async (store: () => Promise<FieldProblem | undefined>): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    setFault(undefined);
    try {
      setProblem(await store());
    } catch (thrown) {
      const found = problemOf(thrown);
      setProblem(found);
      if (found === undefined) setFault(reportFault(thrown));
    } finally {
      setBusy(false);
    }
  };
  return {
    draft,
    bind: (field) => ({
      problem: problem?.field === field ? problem.text : undefined,
      entry: {
        value: draft[field],
        onChange: ({ target }) => {
          setDraft((before) => ({ ...before, [field]: target.value }));
          if (problem?.field === field) setProblem(undefined);
        },
      },
    }),
    isBusy,
    fault,
    dismiss: () => setFault(undefined),
    submit: (store) => {
      if (!isBusy) void attempt(store);
    },
  };
}

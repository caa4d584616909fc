import { useState, type ChangeEvent } from 'react';
import { reportFault } from '../../api/client.js';
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
  /** @param problems what is wrong with the draft: it is not stored then. */
  submit(problems: readonly FieldProblem[], store: () => Promise<void>): void;
}

/** A schedule as it is typed, with faults at their fields. What is typed stays after each of them. */
export function useDraft(first: () => ScheduleDraft): DraftForm {
  const [draft, setDraft] = useState(first);
  const [problems, setProblems] = useState<readonly FieldProblem[]>([]);
  const [fault, setFault] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const attempt = async (store: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setFault(undefined);
    try {
      await store();
    } catch (thrown) {
      const found = problemOf(thrown);
      if (found === undefined) setFault(reportFault(thrown));
      else setProblems([found]);
    } finally {
      setBusy(false);
    }
  };
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
    isBusy,
    fault,
    dismiss: () => setFault(undefined),
    submit: (found, store) => {
      setProblems(found);
      if (!isBusy && found.length === 0) void attempt(store);
    },
  };
}

/** What becomes of a part of a project that was written for Claude Code or its Agent SDK. */
export const verdicts = ['same', 'mapped', 'differs', 'refused'] as const;
export type Verdict = (typeof verdicts)[number];

/** What becomes of a file, or of a key of it. */
export interface Finding {
  /** Below the folder of the project, with `/`; absolute for files outside of it. */
  file: string;
  /** The key, as `permissions.deny[2]`. Absent: the whole file. */
  key?: string;
  /** `same`: it means the same here. `mapped`: under another name. `differs`: `how` says in what. `refused`: it is not used. */
  verdict: Verdict;
  /** What it becomes, in what it differs, or why it is refused and what to do. */
  how: string;
}

/** A part of a project, with what became of each piece of it. */
export interface Converted<T> {
  value: T;
  findings: Finding[];
}

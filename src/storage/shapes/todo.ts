export const todoStatuses = ['pending', 'in_progress', 'completed'] as const;

/** An item of a session's list. */
export interface Todo {
  id: string;
  content: string;
  status: (typeof todoStatuses)[number];
}

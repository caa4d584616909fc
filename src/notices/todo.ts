export const todoStatuses = ['pending', 'in_progress', 'completed'] as const;

export interface Todo {
  id: string;
  content: string;
  status: (typeof todoStatuses)[number];
}

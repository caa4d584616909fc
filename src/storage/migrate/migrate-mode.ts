/** A start whose database lacks migrations refuses, or applies them. */
export const migrateModes = ['check', 'apply'] as const;
export type MigrateMode = (typeof migrateModes)[number];

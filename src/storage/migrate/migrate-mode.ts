/** What a start does about migrations that its database lacks: it refuses, or applies them. */
export const migrateModes = ['check', 'apply'] as const;
export type MigrateMode = (typeof migrateModes)[number];

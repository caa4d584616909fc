import { customType } from 'drizzle-orm/pg-core';

/**
 * A string in a `json` column. The query builder's own column takes a string for JSON that is not
 * parsed yet: a tool's output that is JSON itself would come back as an object.
 */
export const jsonString = customType<{ data: string; driverData: unknown }>({
  dataType: () => 'json',
  toDriver: (value) => JSON.stringify(value),
  fromDriver: (value) => (typeof value === 'string' ? value : JSON.stringify(value)),
});

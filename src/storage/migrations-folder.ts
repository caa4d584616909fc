import { fileURLToPath } from 'node:url';

/** The migrations are beside this file, and beside the bundle that has it. */
export const migrationsFolder = fileURLToPath(new URL('./migrations', import.meta.url));

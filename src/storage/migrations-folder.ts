import { fileURLToPath } from 'node:url';

/** The migrations' folder, beside this file and beside the bundle that contains it. */
export const migrationsFolder = fileURLToPath(new URL('./migrations', import.meta.url));
